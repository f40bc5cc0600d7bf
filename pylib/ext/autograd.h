// Python bindings of the tape; the public functions (grad, value_and_grad, ...) are built on them
// in Python.
#pragma once

#include <Python.h>

namespace msjit {

extern PyMethodDef g_autograd_functions[];

}  // namespace msjit
