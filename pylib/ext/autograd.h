// Python bindings of the tape; the public functions (grad, value_and_grad, ...) are built on them
// in Python.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "kernels/core/tensor.h"

namespace msjit {

// Reads a tuple or list of Tensors; None gives an undefined Tensor where `optional`. False with a
// TypeError set for anything else; `where` and `what` name the operation and the items.
bool read_tensors(PyObject* sequence, const std::string& where, const char* what, bool optional,
                  std::vector<Tensor>* out);

extern PyMethodDef g_autograd_functions[];

}  // namespace msjit
