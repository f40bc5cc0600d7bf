// Attributes in which instances of a class count: ints that change from call to call, as the step
// of an optimizer. Other ints are left open only after they have changed; these at once. This is
// only a hint: an int left open is right for every value.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

void add_counter(PyTypeObject* type, PyObject* name);
bool is_counter(PyTypeObject* type, PyObject* name);
bool has_counters();  // any at all

}  // namespace msjit
