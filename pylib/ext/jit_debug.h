// Registers `_msjit._debug`; built only where the bytecode JIT is.
#pragma once

#include <Python.h>

namespace msjit {

// False with an exception set.
bool add_debug_module(PyObject* parent);

}  // namespace msjit
