// Copies and compares hash tables of sets, place by place. Two sets with equal tables give their
// items in the same order, now and after the same changes.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

inline bool is_plain_set(PyObject* object) { return PyAnySet_CheckExact(object); }
// A set or frozenset with the same table.
Ref clone_set(PyObject* set);
// loose_set(): the same, with the items held loosely (pin.h). tight_set() makes a normal set of
// that; empty with an error set where an item has died.
Ref loose_set(PyObject* set);
Ref tight_set(PyObject* loose);
// Whether `loose` has the class of `set` and equal items (the same object, or equal numbers or
// texts) in the same places. Runs no Python code.
bool same_set(PyObject* set, PyObject* loose);
// Gives `into` the table of `loose`; both are sets.
bool assign_set(PyObject* into, PyObject* loose);
// Calls f with each item, borrowed.
template <class F>
void visit_set(PyObject* set, const F& f) {
  const auto* table = reinterpret_cast<PySetObject*>(set);
  for (Py_ssize_t i = 0; i <= table->mask; ++i)
    if (table->table[i].key && table->table[i].hash != -1) f(table->table[i].key);
}

}  // namespace msjit
