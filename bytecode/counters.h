// Attributes in which instances of a class count: ints that change from call to call, as the steps
// of an optimizer do. A capture leaves them open at once, where other ints have to change first.
// A hint only: an int left open is right for every value.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

void add_counter(PyTypeObject* type, PyObject* name);
bool is_counter(PyTypeObject* type, PyObject* name);
bool has_counters();  // any at all

}  // namespace msjit
