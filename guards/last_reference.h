// Whether letting go of references runs code of the program: a finalizer or the callback of a weak
// reference, of an object whose last references these are, or of what only such objects hold. Runs
// no code itself.
#pragma once

#include <Python.h>

#include "kernels/core/inline_vec.h"

namespace msjit {

// References that are let go of together. Two of them may be the last two of one object.
class Departure {
 public:
  void drop(PyObject* object) {  // null: nothing
    if (!object || PyUnicode_CheckExact(object) || PyLong_CheckExact(object)) return;
    if (may_end_in_code(object)) dropped_.push_back(object);
  }
  bool empty() const { return dropped_.size() == 0; }
  // An object that gets a reference before the others go. Asked for only where !empty().
  void keep(PyObject* object) { kept_.push_back(object); }
  bool runs_code() const;
  // False of numbers, texts, classes and most tensors.
  static bool may_end_in_code(PyObject* object);

 private:
  InlineVec<PyObject*, 4> dropped_, kept_;
};

// Whether a callback is the one by which entries are evicted (pin.cc).
bool is_death_callback(PyObject* callback);

}  // namespace msjit
