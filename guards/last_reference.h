// Whether letting go of a reference runs code of the program: a finalizer or the callback of a weak
// reference, of the object or of what only it holds. Runs no code itself.
#pragma once

#include <Python.h>

namespace msjit {

bool dies_with_code(PyObject* object);  // false for null
// Whether a callback is the one by which entries are evicted (pin.cc).
bool is_death_callback(PyObject* callback);

}  // namespace msjit
