// Departure: whether dropping a set of references runs code of the program. Such code is a
// finalizer, or the callback of a weak reference. It may belong to an object whose last references
// these are, or to an object that only such objects hold. Finding out runs no code itself.
#pragma once

#include <Python.h>

#include "kernels/core/inline_vec.h"

namespace msjit {

// References that are dropped together. Two of them may be the last two of one object.
class Departure {
 public:
  void drop(PyObject* object) {  // null: nothing
    if (!object || PyUnicode_CheckExact(object) || PyLong_CheckExact(object)) return;
    if (may_end_in_code(object)) dropped_.push_back(object);
  }
  bool empty() const { return dropped_.size() == 0; }
  // Notes an object that gets a new reference before the others are dropped. Only needed where
  // !empty().
  void keep(PyObject* object) { kept_.push_back(object); }
  bool runs_code() const;
  // Whether dropping the last reference to this object may run code: false of numbers, texts,
  // classes and most tensors.
  static bool may_end_in_code(PyObject* object);

 private:
  InlineVec<PyObject*, 4> dropped_, kept_;
};

// Whether a weak reference's callback is our own, by which entries are evicted (pin.cc).
bool is_death_callback(PyObject* callback);

}  // namespace msjit
