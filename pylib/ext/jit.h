// What the bytecode JIT adds to the module. jit.cc on the interpreters it is built for, no_jit.cc
// on the others.
#pragma once

#include <Python.h>

namespace msjit {

bool add_jit(PyObject* module);  // false with an exception set

}  // namespace msjit
