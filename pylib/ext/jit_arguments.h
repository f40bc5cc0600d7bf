// BoundArguments: the arguments of a call bound to a function's parameters, as a frame of it would
// have them: by position, by keyword, from its defaults. What is not plain is left to CPython, as
// is what it refuses.
#pragma once

#include <Python.h>

#include "bytecode/decode.h"
#include "guards/py/ref.h"
#include "kernels/core/inline_vec.h"

namespace msjit {

class BoundArguments {
 public:
  // Of a function without *args and **kwargs. False: CPython binds them.
  bool bind(PyObject* function, const DecodedCode& code, PyObject* const* args, Py_ssize_t count,
            PyObject* names);
  PyObject* const* data() const { return values_.data(); }

 private:
  bool fill_defaults(PyObject* function, const DecodedCode& code, int positional);
  bool take_default(int index, PyObject* value);

  InlineVec<PyObject*, 16> values_;
  InlineVec<Ref, 4> defaults_;  // a call may replace them while it runs
};

}  // namespace msjit
