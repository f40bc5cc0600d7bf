// Methods of Tensor that are no operators of the registry; those are bound by register_method.
#include <limits>

#include "guards/py/host_call.h"
#include "guards/py/text.h"
#include "kernels/core/registry.h"
#include "kernels/eager/tape.h"
#include "pylib/ext/custom_gradient.h"
#include "pylib/ext/tensor.h"
#include "pylib/ext/tensor_method_texts.h"

namespace msjit {
namespace {

Ref as_numpy(PyObject* self) { return to_numpy(tensor_of(self)); }

// __array__(dtype=None, copy=None) of NumPy 1 and 2.
Ref dunder_array(PyObject* self, const Args& args) {
  static constexpr const char* kNames[] = {"dtype", "copy", nullptr};
  PyObject* a[2];
  if (!parse_args(args, "__array__", kNames, 0, a)) return {};
  bool copy = false;
  if (!truth_from_object(a[1] == Py_None ? nullptr : a[1], false, &copy)) return {};
  Ref array = to_numpy(tensor_of(self));
  const bool convert = array && a[0] && a[0] != Py_None;
  if (convert)
    array = Ref::steal(
        host::call(host::program, PyObject_CallMethod, array.get(), "astype", "O", a[0]));
  if (array && copy && !convert)
    array =
        Ref::steal(host::call(host::program, PyObject_CallMethod, array.get(), "copy", nullptr));
  return array;
}

// The indices of the element with this number in row-major order; -1 is the last one.
Ref indices_of(const Tensor& t, PyObject* number) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow), count = t.numel();
  const int64_t given = overflow ? std::numeric_limits<int64_t>::max() : value;
  if (given < -count || given >= count)
    return fail(
               index_error("[item] index, got {}, expected one in [{}, {})", given, -count, count)),
           Ref();
  Ref indices = Ref::steal(PyTuple_New(t.rank()));
  int64_t rest = given < 0 ? given + count : given;
  for (int d = t.rank(); indices && d-- > 0; rest /= t.dim(d))
    PyTuple_SET_ITEM(indices.get(), d, PyLong_FromLongLong(rest % t.dim(d)));
  return indices;
}

Ref item(PyObject* self, const Args& args) {
  const Tensor& t = tensor_of(self);
  Element found;
  if (args.count == 0)
    return single_element(t, "item", &found) ? element_to_python(t.dtype(), found.data) : Ref();
  Ref key;
  if (args.count == 1) {
    key = PyLong_CheckExact(args.values[0]) ? indices_of(t, args.values[0])
                                            : Ref::share(args.values[0]);
  } else if ((key = Ref::steal(PyTuple_New(args.count)))) {
    for (Py_ssize_t i = 0; i < args.count; ++i)
      PyTuple_SET_ITEM(key.get(), i, new_reference(args.values[i]));
  }
  if (!key) return {};
  Ref picked = Ref::steal(host::call(host::program, PyObject_GetItem, self, key.get()));
  if (!picked || !is_tensor(picked.get())) return {};
  const Tensor& one = tensor_of(picked.get());
  return single_element(one, "item", &found) ? element_to_python(one.dtype(), found.data) : Ref();
}

Ref nested_list(const Tensor& t, int dim, const char* data) {
  if (dim == t.rank()) return element_to_python(t.dtype(), data);
  Ref list = Ref::steal(PyList_New(t.dim(dim)));
  const int64_t step = t.strides()[dim] * item_size(t.dtype());
  for (int64_t i = 0; list && i < t.dim(dim); ++i) {
    Ref inner = nested_list(t, dim + 1, data + i * step);
    if (!inner) return {};
    PyList_SET_ITEM(list.get(), i, inner.release());
  }
  return list;
}
Ref to_list(PyObject* self) {
  Tensor t;
  if (!host_tensor(tensor_of(self), &t)) return {};
  return nested_list(t, 0, t.data_as<char>());
}

Ref cast_to(PyObject* self, DType dtype) {
  if (tensor_of(self).dtype() == dtype && !tensor_of(self).meta().weak) return Ref::share(self);
  static const OpDef* cast = find_op("cast");
  if (!cast) return Ref::steal(raise(*internal_error("[cast] operator, got none")));
  TensorImpl* input = tensor_of(self).impl();
  return call_op(*cast, {&input, 1}, Attrs{AttrValue(dtype)});
}
Ref astype(PyObject* self, const Args& args) {
  static constexpr const char* kNames[] = {"dtype", "copy", nullptr};
  PyObject* a[2];
  DType dtype;
  if (!parse_args(args, "astype", kNames, 1, a)) return {};
  if (!astype_dtype(a[0], &dtype)) return {};
  return cast_to(self, dtype);
}
template <DType D>
Ref cast_method(PyObject* self) {
  return cast_to(self, D);
}

bool copy_of_value(const Tensor& from, Tensor* out) {
  auto made = Tensor::empty(Meta(from.dtype(), false, from.shape(), from.device()));
  if (!made.ok()) return fail(made.take_error());
  *out = made.take();
  return succeeded(copy_elements(from, *out));
}

Ref copy_tensor(PyObject* self) {
  static const OpDef* copy = find_op("copy");
  TensorImpl* input = tensor_of(self).impl();
  if (copy) return call_op(*copy, {&input, 1}, Attrs{});
  Tensor made;
  return copy_of_value(tensor_of(self), &made) ? wrap_tensor(std::move(made)) : Ref();
}

Ref contiguous(PyObject* self) {
  const Tensor& t = tensor_of(self);
  if (t.contiguous()) return Ref::share(self);
  if (t.autograd()) return copy_tensor(self);
  return wrap_result(t.to_contiguous());
}
Ref contiguous_flag(PyObject* self) {
  return Ref::share(tensor_of(self).contiguous() ? Py_True : Py_False);
}
Ref numel(PyObject* self) { return Ref::steal(PyLong_FromLongLong(tensor_of(self).numel())); }
Ref dim(PyObject* self) { return Ref::steal(PyLong_FromLong(tensor_of(self).rank())); }
// Begins an export that never ends, as nobody says when the address is no longer used.
Ref data_ptr(PyObject* self) {
  tensor_of(self).storage()->begin_export();
  return Ref::steal(PyLong_FromVoidPtr(tensor_of(self).data()));
}
Ref element_strides(PyObject* self) {
  Ref tuple = shape_tuple(tensor_of(self).strides());
  return tuple ? Ref::steal(host::call(host::program, PySequence_List, tuple.get())) : Ref();
}
Ref itself(PyObject* self) { return Ref::share(self); }
Ref detach(PyObject* self) { return sharing_with(self, wrap_tensor(tensor_of(self).detach())); }

// set_data(data, slice_shape=False): takes over data, shape and dtype of another tensor.
Ref set_data(PyObject* self, const Args& args) {
  static constexpr const char* kNames[] = {"data", "slice_shape", nullptr};
  PyObject* a[2];
  if (!parse_args(args, "set_data", kNames, 1, a)) return {};
  if (!is_tensor(a[0]))
    return Ref::steal(
        raise(*type_error("[set_data] data, got {}, expected a Tensor", type_name(a[0]))));
  const Tensor &from = tensor_of(a[0]), &to = tensor_of(self);
  bool reshape = false;
  if (!truth_from_object(a[1], false, &reshape)) return {};
  if (!reshape && !(from.shape() == to.shape()))
    return Ref::steal(raise(*value_error("[set_data] shape of the data, got {}, expected {}",
                                         from.shape().str(), to.shape().str())));
  Tensor data;
  if (!cast_tensor(from, to.dtype(), &data)) return {};
  replace_contents(self, data);
  return Ref::share(self);
}

// assign_value(value): copies the elements of another tensor into this one's memory.
Ref assign_value(PyObject* self, PyObject* value) {
  Tensor from, to = tensor_of(self);
  if (!tensor_from_object(value, "assign_value", &from)) return {};
  if (!(from.shape() == to.shape()) || from.dtype() != to.dtype()) {
    Tensor data;
    if (!copy_of_value(from, &data)) return {};
    replace_contents(self, data);
    return Ref::share(self);
  }
  if (!is_writable(to, "assign_value")) return {};
  if (!succeeded(copy_elements(from, to))) return {};
  to.bump_version();
  return Ref::share(self);
}

Ref backward_method(PyObject* self, const Args& args) {
  static constexpr const char* kNames[] = {"gradient", nullptr};
  PyObject* a[1];
  if (!parse_args(args, "backward", kNames, 0, a)) return {};
  Tensor seed;
  if (a[0] && a[0] != Py_None && !tensor_from_object(a[0], "backward", &seed)) return {};
  Status status = backward(tensor_of(self), seed);
  return status.ok() ? Ref::none() : Ref::steal(raise_of_walk(status.error()));
}

Ref requires_grad_(PyObject* self, const Args& args) {
  static constexpr const char* kNames[] = {"requires_grad", nullptr};
  PyObject* a[1];
  if (!parse_args(args, "requires_grad_", kNames, 0, a)) return {};
  if (host::call(host::program, PyObject_SetAttrString, self, "requires_grad",
                 a[0] ? a[0] : Py_True) < 0)
    return {};
  return Ref::share(self);
}

// (rebuild, (type, dtype, shape, bytes, requires_grad), attributes the program added)
Ref reduce(PyObject* self) {
  Tensor here;
  if (!host_tensor(tensor_of(self), &here)) return {};
  auto flat = here.to_contiguous();
  if (!flat.ok()) return Ref::steal(raise(flat.error()));
  const Tensor& t = flat.value();
  Ref module = Ref::steal(host::call(host::program, PyImport_ImportModule, "msjit._msjit"));
  Ref rebuild = module ? Ref::steal(host::call(host::program, PyObject_GetAttrString, module.get(),
                                               "_rebuild_tensor"))
                       : Ref();
  Ref shape = shape_tuple(t.shape());
  Ref bytes = Ref::steal(PyBytes_FromStringAndSize(t.data_as<char>(), t.nbytes()));
  if (!rebuild || !shape || !bytes) return {};
  PyObject* dict = reinterpret_cast<TensorObject*>(self)->dict;
  Ref state = dict ? Ref::share(dict) : Ref::none();
  return Ref::steal(
      Py_BuildValue("O(OOOOO)O", rebuild.get(), Py_TYPE(self), dtype_object(t.dtype()), shape.get(),
                    bytes.get(), requires_grad(tensor_of(self)) ? Py_True : Py_False, state.get()));
}

Ref set_state(PyObject* self, PyObject* state) {
  if (!PyDict_Check(state))
    return Ref::steal(
        raise(*type_error("[Tensor] state, got {}, expected a dict", type_name(state))));
  if (!is_exact_tensor(self)) {
    const Ref dict = Ref::steal(PyObject_GenericGetDict(self, nullptr));
    return dict && host::call(host::program, PyDict_Update, dict.get(), state) == 0 ? Ref::none()
                                                                                    : Ref();
  }
  const Ref items = Ref::steal(PyDict_Items(state));
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject* item = PyList_GET_ITEM(items.get(), i);
    if (host::call(host::program, PyObject_SetAttr, self, PyTuple_GET_ITEM(item, 0),
                   PyTuple_GET_ITEM(item, 1)) < 0)
      return {};
  }
  return items ? Ref::none() : Ref();
}

Ref format(PyObject* self, PyObject* spec) {
  Tensor t;
  if (!host_tensor(tensor_of(self), &t)) return {};
  const bool number = t.rank() == 0 && PyUnicode_GetLength(spec) > 0;
  const Ref value = number ? element_to_python(t.dtype(), t.data()) : tensor_str(self);
  if (!value) return {};
  Ref text = Ref::steal(host::call(host::program, PyObject_Format, value.get(), spec));
  if (text || number || !PyErr_ExceptionMatches(PyExc_ValueError)) return text;
  PyErr_Clear();
  return fail(
             type_error("[format] format of a tensor of shape {}, got '{}', expected one of a text",
                        t.shape().str(), utf8_text(spec))),
         Ref();
}

Ref from_numpy_method(PyObject* type, PyObject* array) { return from_numpy(type, array); }

}  // namespace

bool is_writable(const Tensor& tensor, const char* where) {
  return !tensor.storage()->read_only ||
         fail(value_error("[{}] tensor, got one on read-only memory, expected a writable one",
                          where));
}

PyMethodDef g_tensor_methods[] = {
    method0<as_numpy>("asnumpy", texts::kAsnumpy),
    method0<as_numpy>("numpy", "numpy($self)\n--\n\nAs asnumpy()."),
    method<dunder_array>("__array__",
                         "__array__($self, dtype=None, copy=None)\n--\n\nFor numpy.asarray."),
    method<item>("item", texts::kItem),
    method0<to_list>("tolist", texts::kTolist),
    method<astype>("astype", texts::kAstype),
    method<astype>("to", "to($self, dtype, copy=True)\n--\n\nAs astype()."),
    method0<cast_method<DType::kFloat16>>("half", "half($self)\n--\n\nAs astype(float16)."),
    method0<cast_method<DType::kBFloat16>>("bfloat16",
                                           "bfloat16($self)\n--\n\nAs astype(bfloat16)."),
    method0<cast_method<DType::kFloat32>>("float", "float($self)\n--\n\nAs astype(float32)."),
    method0<cast_method<DType::kFloat64>>("double", "double($self)\n--\n\nAs astype(float64)."),
    method0<cast_method<DType::kInt32>>("int", "int($self)\n--\n\nAs astype(int32)."),
    method0<cast_method<DType::kInt64>>("long", "long($self)\n--\n\nAs astype(int64)."),
    method0<cast_method<DType::kBool>>(
        "bool", "bool($self)\n--\n\nAs astype(bool): whether each element is not 0."),
    method0<copy_tensor>("copy", texts::kCopy),
    method0<contiguous>("contiguous", texts::kContiguous),
    method0<contiguous_flag>("is_contiguous", texts::kIsContiguous),
    method0<numel>("numel", "numel($self)\n--\n\nThe number of elements, an int."),
    method0<dim>("dim", "dim($self)\n--\n\nThe number of axes, an int."),
    method0<data_ptr>("data_ptr",
                      "data_ptr($self)\n--\n\nThe address of the first element, an int."),
    method0<element_strides>("stride", texts::kStride),
    method0<itself>("value", "value($self)\n--\n\nThe tensor itself."),
    method0<detach>("detach", texts::kDetach),
    method<set_data>("set_data", texts::kSetData),
    method1<assign_value>("assign_value", texts::kAssignValue),
    method<backward_method>("backward", texts::kBackward),
    method<requires_grad_>("requires_grad_", texts::kRequiresGrad),
    {"from_numpy", one_arg<from_numpy_method>, METH_O | METH_STATIC, texts::kFromNumpy},
    method<tensor_dlpack>("__dlpack__",
                          "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, "
                          "copy=None)\n--\n\nA DLPack capsule."),
    method0<tensor_dlpack_device>("__dlpack_device__",
                                  "__dlpack_device__($self)\n--\n\nDevice type and number."),
    method0<reduce>("__reduce__", nullptr),
    method1<set_state>("__setstate__", nullptr),
    method1<format>("__format__", nullptr),
    {nullptr}};

}  // namespace msjit
