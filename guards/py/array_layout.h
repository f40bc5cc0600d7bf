// Where an ndarray has its shape and dtype, in NumPy 1 and 2 alike. The core does not link with
// NumPy, and reading the attributes would create objects during a check.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

struct ArrayLayout {
  PyObject_HEAD char* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
};
// The caller has checked that it is an ndarray.
inline const ArrayLayout& array_layout(PyObject* array) {
  return *reinterpret_cast<const ArrayLayout*>(array);
}

}  // namespace msjit
