// ORDER: a float that an entry leaves open compares with a constant as it did at capture.
#pragma once

#include "guards/guard_set.h"

namespace msjit {

// `op`: one of Py_LT...; `value` is what the float is now. A guard `open_float` has to stand before
// it.
GuardPayload order_payload(double value, int op, double constant);
// What Python's comparison of two floats gives; also of a float and an int that is a double.
bool in_order(double a, int op, double b);

}  // namespace msjit
