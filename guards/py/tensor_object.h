// What the guards and the executor know of the Python Tensor and op objects, whose types live in pylib/ext above them.
// The extension fills `tensor_bridge` once, at module initialisation; until then nothing is captured.
#pragma once

#include "guards/py/ref.h"
#include "kernels/core/op.h"

namespace msjit {

// The common prefix of every Python object that is a Tensor (the C type and its subclasses).
struct TensorObject {
  PyObject_HEAD
  TensorImpl* impl;
};

struct TensorBridge {
  PyTypeObject* tensor_type = nullptr;
  Ref (*wrap)(Tensor tensor) = nullptr;                  // a new Python Tensor; empty with an error set
  const OpDef* (*op_of)(PyObject* object) = nullptr;     // the operator of an op callable, or null
  bool (*dtype_of)(PyObject* object, DType* out) = nullptr;  // for dtype objects
  Ref (*dtype_object)(DType dtype) = nullptr;
};
extern TensorBridge tensor_bridge;

inline bool is_tensor(PyObject* object) {
  return tensor_bridge.tensor_type && PyObject_TypeCheck(object, tensor_bridge.tensor_type);
}
inline TensorImpl* tensor_impl(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->impl;
}

}  // namespace msjit
