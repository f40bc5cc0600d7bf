// The hash table of a set, copied and compared place by place: two sets with the same table give
// their items in the same order, now and after the same changes.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

inline bool is_plain_set(PyObject* object) { return PyAnySet_CheckExact(object); }
// A set or frozenset with the same table.
Ref clone_set(PyObject* set);
// Whether both are of one class with equal items (pointers, or numbers and texts of equal value) in
// the same places. Runs no Python code.
bool same_set(PyObject* a, PyObject* b);
// Gives `into` the table of `from`; both are sets.
bool assign_set(PyObject* into, PyObject* from);

}  // namespace msjit
