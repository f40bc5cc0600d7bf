// Where an ndarray has its shape and dtype, in NumPy 1 and 2 alike. The core does not link with
// NumPy, and reading the attributes would create objects during a check.
#pragma once

#include <string>

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

// Where the element at a position, counted in the order of the shape, is.
inline const char* element_of(PyObject* array, int64_t position) {
  const ArrayLayout& layout = array_layout(array);
  const char* at = layout.data;
  for (int i = layout.rank - 1; i >= 0; --i) {
    at += position % layout.shape[i] * layout.strides[i];
    position /= layout.shape[i];
  }
  return at;
}
// How a number that differs between calls is called.
inline std::string element_path(const std::string& array, int64_t position) {
  return array + ".flat[" + std::to_string(position) + "]";
}

}  // namespace msjit
