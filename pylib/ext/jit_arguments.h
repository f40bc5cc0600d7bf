// BoundArguments: binds the arguments of a call to a function's parameters as CPython does: by
// position, by keyword, from the defaults. CPython itself binds calls that it would refuse, and
// calls of functions with *args or **kwargs.
#pragma once

#include <Python.h>

#include "bytecode/decode.h"
#include "guards/py/ref.h"
#include "kernels/core/inline_vec.h"

namespace msjit {

class BoundArguments {
 public:
  // For a function without *args and **kwargs. False: CPython has to bind the arguments.
  bool bind(PyObject* function, const DecodedCode& code, PyObject* const* args, Py_ssize_t count,
            PyObject* names);
  PyObject* const* data() const { return values_.data(); }

 private:
  bool fill_defaults(PyObject* function, const DecodedCode& code, int positional);
  bool take_default(int index, PyObject* value);

  InlineVec<PyObject*, 16> values_;
  InlineVec<Ref, 4> defaults_;  // owned, as the call may replace the function's defaults
};

}  // namespace msjit
