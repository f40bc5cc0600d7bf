// Layout of this project's own Python objects that guards and the symbolic executor recognise and
// read: Tensor, DType and Op. Their types are defined in pylib/ext.
#pragma once

#include "guards/py/ref.h"
#include "kernels/core/op.h"
#include "kernels/core/tensor.h"

namespace msjit {

// A Python tensor. `tensor` is never a null handle. `dict` holds the attributes that a program has
// given it, null while there are none. In an exact Tensor no such attribute has the name of a class
// attribute.
struct TensorObject {
  PyObject_HEAD Tensor tensor;
  PyObject* weakrefs;
  PyObject* dict;
  TensorObject *next_sharing, *previous_sharing;  // a ring (note_sharing()); null: in none
  bool detached;  // shares the memory of a tracked tensor, but not its history
};
extern PyTypeObject g_tensor_type;

inline bool is_exact_tensor(PyObject* object) { return Py_TYPE(object) == &g_tensor_type; }
inline bool is_tensor(PyObject* object) {
  return is_exact_tensor(object) || PyType_IsSubtype(Py_TYPE(object), &g_tensor_type);
}
// The caller has checked is_tensor().
inline Tensor& tensor_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}
// Replaces all contents of a tensor object by those of `from`; other handles on its header see the
// change too.
void replace_contents(PyObject* self, const Tensor& from);
// How often an existing tensor object got another shape or dtype.
extern uint64_t tensor_meta_changes;
// How many Tensor objects there are. `changed` (may be null) is called when the first one appears
// and when the last one is gone.
struct TensorPresence {
  Py_ssize_t count = 0;
  void (*changed)(bool any) = nullptr;
};
extern TensorPresence g_tensor_presence;
// A new exact Tensor object; empty with MemoryError set when that fails.
Ref wrap_tensor(Tensor tensor);
// Inside gradient transforms and for tracked tensors: notes that `made`, a tensor or a tuple of
// them, shares memory with one of the `given` objects if it does. A recorded write then changes
// both.
void note_sharing(std::span<PyObject* const> given, PyObject* made);
// Whether another object that is known to share memory with `tensor` is tracked.
bool shares_tracked(PyObject* tensor);
// Whether note_sharing() may have something to note about a new tensor.
bool may_be_noted(const Tensor& made);

// msjit.float32 and its kin: one immortal object a dtype.
struct DTypeObject {
  PyObject_HEAD DType dtype;
};
extern PyTypeObject g_dtype_type;
PyObject* dtype_object(DType dtype);  // borrowed

// An operator as a Python callable: a function in `msjit.ops`, or a method when it is set on a
// type.
using VectorcallFn = PyObject* (*)(PyObject* callable, PyObject* const* args, size_t nargsf,
                                   PyObject* names);
struct OpObject {
  PyObject_HEAD VectorcallFn vectorcall;
  const OpDef* op;
  PyObject* name;         // str
  PyObject* param_names;  // tuple of interned str
  PyObject* doc;          // null until asked for
};
extern PyTypeObject g_op_type;
inline bool is_op(PyObject* object) { return Py_TYPE(object) == &g_op_type; }
inline const OpDef& op_of(PyObject* object) { return *reinterpret_cast<OpObject*>(object)->op; }

}  // namespace msjit
