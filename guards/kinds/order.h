// ORDER: a float that an entry leaves open still compares with a constant as at capture.
#pragma once

#include "guards/guard_set.h"

namespace msjit {

// `op`: one of Py_LT...; `value` is the float at capture. The source must have a guard `open_float`
// before this one.
GuardPayload order_payload(double value, int op, double constant);
// The result of Python's comparison of two floats, or of a float and an int that a double holds
// exactly.
bool in_order(double a, int op, double b);

}  // namespace msjit
