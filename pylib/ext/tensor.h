// Parts of the Python Tensor type, one file each; tensor_type.cc puts them together.
#pragma once

#include "pylib/ext/boundary.h"
#include "pylib/ext/op_call.h"

namespace msjit {

void fill_number_slots(PyTypeObject* type);  // operators
void fill_index_slots(PyTypeObject* type);   // len, x[...], iteration
void fill_buffer_slots(PyTypeObject* type);
extern PyGetSetDef g_tensor_attributes[];
extern PyMethodDef g_tensor_methods[];
bool ready_tensor_type();
bool ready_tensor_meta();           // ready_tensor_type() needs it done before
bool ready_tensor_class();          // ready_tensor_type() ends with it
extern PyTypeObject g_tensor_meta;  // the metaclass of Tensor
bool ready_dtype_type();

// The only element of a tensor. `copy` holds it if the tensor is on a device. ValueError if the
// tensor has more elements or none.
struct Element {
  Tensor copy;
  const void* data = nullptr;
};
bool single_element(const Tensor& tensor, const char* where, Element* out);
// The tensor itself, or a copy in host memory if it is on a device.
bool host_tensor(const Tensor& tensor, Tensor* out);
bool is_writable(const Tensor& tensor, const char* where);

// Keeps exported memory alive, even if the tensor gets other memory meanwhile. While it lives,
// others may write to the storage, so the storage counts as exported.
class ExportPin {
 public:
  explicit ExportPin(const Tensor& t) : tensor_(Tensor::view(t, t.shape(), t.strides(), 0)) {
    tensor_.storage()->begin_export();
  }
  ExportPin(ExportPin&&) = default;
  ~ExportPin() {
    if (tensor_) tensor_.storage()->end_export();
  }

 private:
  Tensor tensor_;
};

// Tensors that share memory while gradients are recorded (shared_memory.cc).
// A view of `self`, noted as one.
Ref sharing_with(PyObject* self, Ref view);
// Takes an object out of its ring.
void leave_ring(TensorObject* object);
// Whether an in-place op with these inputs, of which `target` is the first, must not change memory,
// because the target has a history, or tensors that share its memory do.
bool writes_recorded(PyObject* target, std::span<TensorImpl* const> inputs);
// Gives `self` the result of a recorded write; those that share its memory follow. False: an
// exception is set and nothing has changed.
bool replace_shared(PyObject* self, Tensor value);

Ref tensor_repr(PyObject* self);
Ref tensor_str(PyObject* self);
// A NumPy array sharing the tensor's memory (bfloat16: a float32 copy).
Ref to_numpy(const Tensor& tensor);
Ref tensor_dlpack(PyObject* self, const Args& args);
Ref tensor_dlpack_device(PyObject* self);
Ref from_dlpack(PyObject* module, PyObject* producer);
Ref from_numpy(PyObject* module, PyObject* array);

// Called for Tensor(shape=..., dtype=..., init=...): makes the data. Set by the Python side.
extern PyObject* g_tensor_initializer;

}  // namespace msjit
