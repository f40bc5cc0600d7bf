// Properties of Tensor.
#include "kernels/core/registry.h"
#include "kernels/eager/tape.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

Ref get_shape(PyObject* self) { return shape_tuple(tensor_of(self).shape()); }
Ref get_dtype(PyObject* self) { return Ref::share(dtype_object(tensor_of(self).dtype())); }
Ref get_ndim(PyObject* self) { return Ref::steal(PyLong_FromLong(tensor_of(self).rank())); }
Ref get_size(PyObject* self) { return Ref::steal(PyLong_FromLongLong(tensor_of(self).numel())); }
Ref get_itemsize(PyObject* self) {
  return Ref::steal(PyLong_FromLongLong(item_size(tensor_of(self).dtype())));
}
Ref get_nbytes(PyObject* self) { return Ref::steal(PyLong_FromLongLong(tensor_of(self).nbytes())); }

// In bytes, as NumPy's.
Ref get_strides(PyObject* self) {
  const Tensor& t = tensor_of(self);
  Shape bytes = t.strides();
  for (int64_t& s : bytes) s *= item_size(t.dtype());
  return shape_tuple(bytes);
}

Ref get_transposed(PyObject* self) {
  const Tensor& t = tensor_of(self);
  static const OpDef* transpose = find_op("transpose");
  if (!transpose) return Ref::steal(raise(*internal_error("[transpose] operator, got none")));
  IntList order;
  for (int i = t.rank() - 1; i >= 0; --i) order.push_back(i);
  TensorImpl* input = t.impl();
  return sharing_with(self, call_op(*transpose, {&input, 1}, Attrs{AttrValue(std::move(order))}));
}

Ref get_data(PyObject* self) { return sharing_with(self, wrap_tensor(tensor_of(self).detach())); }
int set_data(PyObject* self, PyObject* value) {
  if (!value || !is_tensor(value))
    return fail(type_error("[data] value, got {}, expected a Tensor",
                           value ? type_name(value) : "none")),
           -1;
  replace_contents(self, tensor_of(value));
  return 0;
}

Ref get_requires_grad(PyObject* self) {
  return Ref::share(requires_grad(tensor_of(self)) ? Py_True : Py_False);
}
int set_requires_grad_attribute(PyObject* self, PyObject* value) {
  if (!value || !PyBool_Check(value))
    return fail(type_error("[requires_grad] value, got {}, expected a bool",
                           value ? type_name(value) : "none")),
           -1;
  if (value == Py_True && !is_float(tensor_of(self).dtype()))
    return fail(type_error("[requires_grad] dtype of the tensor, got {}, expected a float dtype",
                           dtype_name(tensor_of(self).dtype()))),
           -1;
  set_requires_grad(tensor_of(self), value == Py_True);
  return 0;
}

Ref get_grad(PyObject* self) {
  Tensor grad = grad_of(tensor_of(self));
  return grad ? wrap_tensor(std::move(grad)) : Ref::none();
}
int set_grad(PyObject* self, PyObject* value) {
  const Tensor& t = tensor_of(self);
  if (!value || value == Py_None) return set_grad_of(t, Tensor()), 0;
  if (!is_tensor(value) || !(tensor_of(value).shape() == t.shape()))
    return fail(type_error("[grad] value, got {}, expected None or a Tensor of shape {}",
                           type_name(value), t.shape().str())),
           -1;
  set_grad_of(t, tensor_of(value));
  return 0;
}
Ref get_is_leaf(PyObject* self) {
  const AutogradMeta* meta = tensor_of(self).autograd();
  return Ref::share(meta && meta->node ? Py_False : Py_True);
}

// For an exact Tensor this gives a read-only view of the dict. A write to the dict itself could
// hide an attribute of the class, which tensor_setattr prevents.
Ref get_dict(PyObject* self) {
  if (!is_exact_tensor(self)) return Ref::steal(PyObject_GenericGetDict(self, nullptr));
  PyObject* own = reinterpret_cast<TensorObject*>(self)->dict;
  const Ref dict = own ? Ref::share(own) : Ref::steal(PyDict_New());
  return dict ? Ref::steal(PyDictProxy_New(dict.get())) : Ref();
}
int set_dict(PyObject* self, PyObject* value) {
  if (!is_exact_tensor(self)) return PyObject_GenericSetDict(self, value, nullptr);
  PyErr_SetString(PyExc_AttributeError,
                  "attribute '__dict__' of 'msjit.Tensor' objects is not writable");
  return -1;
}

Ref get_device(PyObject* self) { return text_object(tensor_of(self).device().str()); }
Ref get_false(PyObject*) { return Ref::share(Py_False); }

}  // namespace

PyGetSetDef g_tensor_attributes[] = {
    {"shape", get_attribute<get_shape>, nullptr, "The sizes of the dimensions, a tuple.", nullptr},
    {"dtype", get_attribute<get_dtype>, nullptr, "The type of the elements.", nullptr},
    {"ndim", get_attribute<get_ndim>, nullptr, "The number of dimensions.", nullptr},
    {"size", get_attribute<get_size>, nullptr, "The number of elements.", nullptr},
    {"itemsize", get_attribute<get_itemsize>, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_attribute<get_nbytes>, nullptr, "Bytes of all elements.", nullptr},
    {"strides", get_attribute<get_strides>, nullptr,
     "Bytes from one element to the next, by dimension.", nullptr},
    {"T", get_attribute<get_transposed>, nullptr, "The tensor with its dimensions reversed.",
     nullptr},
    {"data", get_attribute<get_data>, set_attribute<set_data>,
     "The same data without gradient history.", nullptr},
    {"requires_grad", get_attribute<get_requires_grad>, set_attribute<set_requires_grad_attribute>,
     "Whether operations on the tensor are recorded for gradients.", nullptr},
    {"grad", get_attribute<get_grad>, set_attribute<set_grad>,
     "The gradient backward() accumulated, or None.", nullptr},
    {"is_leaf", get_attribute<get_is_leaf>, nullptr,
     "Whether no recorded operation made the tensor.", nullptr},
    {"__dict__", get_attribute<get_dict>, set_attribute<set_dict>,
     "The attributes that were added to the tensor.", nullptr},
    {"device", get_attribute<get_device>, nullptr, "Where the data lies.", nullptr},
    {"has_init", get_attribute<get_false>, nullptr, "Always False: data is made at once.", nullptr},
    {nullptr}};

}  // namespace msjit
