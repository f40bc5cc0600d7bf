// The type msjit.Tensor: construction, destruction, the free list, attributes a program adds. An
// exact Tensor refers to other Python objects only through such attributes. So the garbage
// collector tracks it only while it has some.
#include <cstddef>
#include <utility>

#include "guards/py/host_call.h"
#include "guards/py/tensor_class.h"
#include "guards/py/text.h"
#include "kernels/core/registry.h"
#include "kernels/eager/tape.h"
#include "pylib/ext/op_call.h"
#include "pylib/ext/tensor.h"

namespace msjit {

uint64_t tensor_meta_changes = 0;

PyTypeObject g_tensor_type = {PyVarObject_HEAD_INIT(&g_tensor_meta, 0) "msjit.Tensor",
                              sizeof(TensorObject)};
PyObject* g_tensor_initializer = nullptr;

namespace {

// Dead exact tensors, kept for reuse. Guarded by the GIL.
constexpr int kFreeListSize = 256;
TensorObject* g_free_list[kFreeListSize];
int g_free_count = 0;

void note_new_tensor() {
  if (g_tensor_presence.count++ == 0 && g_tensor_presence.changed) g_tensor_presence.changed(true);
}

[[gnu::noinline]] void drop_attributes(TensorObject* object) {
  PyObject_GC_UnTrack(object);
  const Ref dict = Ref::steal(std::exchange(object->dict, nullptr));
}

void tensor_dealloc(PyObject* self) {
  auto* object = reinterpret_cast<TensorObject*>(self);
  if (--g_tensor_presence.count == 0 && g_tensor_presence.changed) g_tensor_presence.changed(false);
  const bool exact = is_exact_tensor(self);
  if (object->dict || !exact) [[unlikely]]
    drop_attributes(object);
  if (object->weakrefs) PyObject_ClearWeakRefs(self);
  if (object->next_sharing) [[unlikely]]
    leave_ring(object);
  object->tensor.~Tensor();
  if (exact && g_free_count < kFreeListSize) {
    g_free_list[g_free_count++] = object;
  } else {
    Py_TYPE(self)->tp_free(self);
  }
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<TensorObject*>(self)->dict);
  return 0;
}

int tensor_clear(PyObject* self) {
  if (is_exact_tensor(self)) PyObject_GC_UnTrack(self);
  const Ref dict = Ref::steal(std::exchange(reinterpret_cast<TensorObject*>(self)->dict, nullptr));
  return 0;
}

// An instance cannot hide an attribute of the class. So a capture that reads one needs no guard on
// the instance.
int tensor_setattr(PyObject* self, PyObject* name, PyObject* value) {
  auto* object = reinterpret_cast<TensorObject*>(self);
  if (!is_exact_tensor(self))
    return host::call(host::program, PyObject_GenericSetAttr, self, name, value);
  PyObject* found = PyUnicode_Check(name)
                        ? host::call(host::checked, _PyType_Lookup, &g_tensor_type, name)
                        : nullptr;
  const char* text = found ? utf8_text(name) : nullptr;
  if (found && !Py_TYPE(found)->tp_descr_set && text && !is_set_on_tensor(text)) {
    PyErr_Format(PyExc_AttributeError, "'msjit.Tensor' object attribute '%U' is read-only", name);
    return -1;
  }
  const bool had_dict = object->dict;
  const int result = host::call(host::program, PyObject_GenericSetAttr, self, name, value);
  if (!had_dict && object->dict) PyObject_GC_Track(self);
  return result;
}

// Whether Tensor(shape=..., dtype=...) leaves sizes open: the shape is None, or a size in it is
// None, negative or a Symbol.
bool leaves_sizes_open(PyObject* shape) {
  if (shape == Py_None) return true;
  if (!PyList_Check(shape) && !PyTuple_Check(shape)) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(shape);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* size = PySequence_Fast_GET_ITEM(shape, i);
    if (!PyIndex_Check(size)) return true;  // g_tensor_initializer refuses any other object
    if (!PyLong_Check(size)) continue;
    int overflow = 0;
    if (PyLong_AsLongLongAndOverflow(size, &overflow) < 0) return true;
  }
  return false;
}

// Tensor(shape=(None, 3), dtype=...) makes an object that only describes a tensor. Empty without an
// exception: `kwargs` ask for a real tensor.
Ref described_tensor(PyObject* args, PyObject* kwargs) {
  if (!kwargs || !g_tensor_initializer || PyTuple_GET_SIZE(args)) return {};
  PyObject* shape = host::call(host::program, PyDict_GetItemString, kwargs, "shape");
  PyObject* dtype = host::call(host::program, PyDict_GetItemString, kwargs, "dtype");
  PyObject* init = host::call(host::program, PyDict_GetItemString, kwargs, "init");
  if (!shape || !dtype || (init && init != Py_None) ||
      host::call(host::program, PyDict_GetItemString, kwargs, "input_data") ||
      !leaves_sizes_open(shape))
    return {};
  return Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs, g_tensor_initializer,
                               shape, dtype, Py_None, static_cast<PyObject*>(nullptr)));
}

Ref tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (kwargs && type == &g_tensor_type) {
    Ref described = described_tensor(args, kwargs);
    if (described || PyErr_Occurred()) return described;
  }
  auto empty = Tensor::empty(DType::kFloat32, Shape{0});
  if (!empty.ok()) return Ref::steal(raise(empty.error()));
  if (type == &g_tensor_type) return wrap_tensor(empty.take());
  Ref self = Ref::steal(type->tp_alloc(type, 0));
  if (!self) return {};
  auto* object = reinterpret_cast<TensorObject*>(self.get());
  new (&object->tensor) Tensor(empty.take());
  note_new_tensor();
  return self;
}

bool check_dims(const IntList& dims) {
  if (dims.size() > kMaxRank)
    return fail(value_error("[Tensor] number of dimensions, got {}, expected at most {}",
                            dims.size(), kMaxRank));
  for (int64_t d : dims)
    if (d < 0)
      return fail(value_error("[Tensor] dimension, got {}, expected a non-negative int", d));
  return true;
}

// Tensor(shape=..., dtype=..., init=...).
int init_from_shape(PyObject* self, PyObject* shape, PyObject* dtype_arg, PyObject* init) {
  if (!shape || shape == Py_None || !dtype_arg || dtype_arg == Py_None)
    return fail(type_error("[Tensor] missing argument 'input_data', got none, expected data, or "
                           "shape and dtype")),
           -1;
  IntList dims;
  DType dtype;
  if (!ints_from_object(shape, "Tensor", "shape", &dims) || !check_dims(dims)) return -1;
  if (!dtype_from_object(dtype_arg, "Tensor", &dtype)) return -1;
  if (init && init != Py_None && g_tensor_initializer) {
    Ref tuple = shape_tuple(dims);
    Ref made = Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs,
                                     g_tensor_initializer, tuple.get(), dtype_object(dtype), init,
                                     static_cast<PyObject*>(nullptr)));
    if (!made) return -1;
    if (!is_tensor(made.get()))
      return fail(type_error("[Tensor] result of init, got {}, expected a Tensor",
                             type_name(made.get()))),
             -1;
    replace_contents(self, tensor_of(made.get()));
    return 0;
  }
  auto data = Tensor::empty(dtype, Shape(std::span<const int64_t>(dims)));
  if (!data.ok()) return fail(data.take_error()), -1;
  if (data.value().nbytes())
    std::memset(data.value().data(), 0, static_cast<size_t>(data.value().nbytes()));
  Tensor made = data.take();
  if (!place_on_default_device(&made)) return -1;
  replace_contents(self, made);
  return 0;
}

// A private copy of `from`: the data of a Tensor is its own.
bool copy_data(const Tensor& from, DType dtype, Tensor* out) {
  if (from.dtype() != dtype) return cast_tensor(from, dtype, out);
  auto copy = Tensor::empty(Meta(dtype, false, from.shape(), from.device()));
  if (!copy.ok()) return fail(copy.take_error());
  *out = copy.take();
  return succeeded(copy_elements(from, *out));
}

// The tape records the copy that Tensor(x) makes of a tracked x, so gradients flow through it.
// Copies into subclasses are not recorded: a Parameter is a leaf.
bool copy_tracked(const Tensor& from, DType dtype, Tensor* out) {
  static const OpDef* const copy = find_op("copy");
  static const OpDef* const cast = find_op("cast");
  const bool same = from.dtype() == dtype;
  TensorImpl* input = from.impl();
  TensorVec made;
  if (!run_call(same ? *copy : *cast, {&input, 1}, same ? Attrs{} : Attrs{AttrValue(dtype)}, &made))
    return false;
  *out = std::move(made[0]);
  return true;
}

// As NumPy does: a complex number becomes complex128, an int too large for int64 becomes uint64.
bool wide_number(PyObject* number, Tensor* out) {
  if (PyComplex_Check(number)) {
    *out =
        Tensor::scalar(Complex128(PyComplex_RealAsDouble(number), PyComplex_ImagAsDouble(number)));
    return true;
  }
  int overflow = 0;
  if (!PyLong_Check(number)) return false;
  (void)PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow <= 0) return PyErr_Clear(), false;
  const uint64_t value = PyLong_AsUnsignedLongLong(number);
  if (value == UINT64_MAX && PyErr_Occurred()) return PyErr_Clear(), false;
  *out = Tensor::scalar(value);
  return true;
}

bool number_data(PyObject* number, DType* dtype, Tensor* out) {
  if (!tensor_from_number(number, "Tensor", out)) return false;
  *dtype = out->dtype() == DType::kFloat64 && !PyObject_CheckBuffer(number) ? DType::kFloat32
                                                                            : out->dtype();
  return true;
}

// Reads `data`; `dtype` becomes that of the tensor to make of it, by MindSpore's defaults.
bool read_data(PyObject* data, DType* dtype, Tensor* out) {
  if (!PyObject_CheckBuffer(data) && wide_number(data, out)) return *dtype = out->dtype(), true;
  if (is_number(data)) return number_data(data, dtype, out);
  bool doubles = false;  // Python floats stay doubles until the dtype is known, to be rounded once
  if (is_tensor(data))
    *out = tensor_of(data);
  else if (PyList_Check(data) || PyTuple_Check(data)) {
    if (!tensor_from_sequence(data, "Tensor", out, &doubles)) return false;
  } else if (is_array_like(data)) {
    if (!tensor_from_buffer(data, "Tensor", false, out)) return false;
  } else {
    return fail(
        type_error("[Tensor] input_data, got {}, expected a Tensor, array, number, list or tuple",
                   type_name(data)));
  }
  *dtype = doubles ? DType::kFloat32 : out->dtype();
  return true;
}

int tensor_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"input_data", "dtype",  "shape", "init",
                                       "const_arg",  "device", nullptr};
  PyObject* a[6] = {};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOOO:Tensor", const_cast<char**>(kNames),
                                   &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]))
    return -1;
  PyObject *data = a[0], *dtype_arg = a[1];
  if (!data || data == Py_None) {
    if (data && !a[2])
      return fail(type_error("[Tensor] input_data, got NoneType, expected a Tensor, array, number, "
                             "list or tuple")),
             -1;
    return init_from_shape(self, a[2], dtype_arg, a[3]);
  }
  DType dtype;
  Tensor read, own;
  if (!read_data(data, &dtype, &read)) return -1;
  if (dtype_arg && dtype_arg != Py_None && !dtype_from_object(dtype_arg, "Tensor", &dtype))
    return -1;
  if (is_tensor(data) && Py_TYPE(self) == &g_tensor_type && is_tracked(read)) {
    if (!copy_tracked(read, dtype, &own)) return -1;
    reinterpret_cast<TensorObject*>(self)->tensor = std::move(own);
    ++tensor_meta_changes;
    return 0;
  }
  if (!copy_data(read, dtype, &own)) return -1;
  own.impl()->meta.weak = false;
  if (!is_tensor(data) && !place_on_default_device(&own)) return -1;
  replace_contents(self, own);
  return 0;
}

Py_hash_t tensor_hash(PyObject* self) {
  auto value = static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self) >> 4);
  return value == -1 ? -2 : value;
}

constexpr const char* kDoc =
    "Tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, "
    "device=None)\n--\n\n"
    "An n-dimensional array of elements of one dtype.\n\n"
    "input_data: Tensor, NumPy array, number or nested list; its values are copied. Python floats "
    "become float32,\n"
    "ints int64; arrays keep their dtype.\n\n"
    ">>> import msjit as ms\n"
    ">>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])\n"
    ">>> x.shape, str(x.dtype), (x @ x).asnumpy().tolist()\n"
    "((2, 2), 'Float32', [[7.0, 10.0], [15.0, 22.0]])\n"
    ">>> x[:, 0].sum(), (x > 2).asnumpy().tolist()\n"
    "(Tensor(shape=[], dtype=Float32, value= 4), [[False, False], [True, True]])";

}  // namespace

TensorPresence g_tensor_presence;

Ref wrap_tensor(Tensor tensor) {
  TensorObject* self;
  if (g_free_count > 0) [[likely]] {
    self = g_free_list[--g_free_count];
    (void)PyObject_Init(reinterpret_cast<PyObject*>(self), &g_tensor_type);
  } else {
    self = PyObject_GC_New(TensorObject, &g_tensor_type);
    if (!self) return {};
  }
  new (&self->tensor) Tensor(std::move(tensor));
  self->weakrefs = nullptr;
  self->dict = nullptr;
  self->next_sharing = self->previous_sharing = nullptr;
  self->detached = false;
  note_new_tensor();
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void replace_contents(PyObject* self, const Tensor& from) {
  TensorImpl* to = tensor_of(self).impl();
  const TensorImpl* impl = from.impl();
  if (to == impl) return;
  if (!(to->meta == impl->meta)) ++tensor_meta_changes;
  to->contiguous = impl->contiguous;
  to->meta = impl->meta;
  to->strides = impl->strides;
  to->data = impl->data;
  to->storage = impl->storage;
}

// Makes NumPy give way to Tensor's operators. NumPy may look this attribute up on the class.
static bool set_array_priority(PyTypeObject* type) {
  const Ref priority = Ref::steal(PyFloat_FromDouble(1000.0));
  return priority && host::call(host::checked, PyDict_SetItemString, type->tp_dict,
                                "__array_priority__", priority.get()) == 0;
}

bool ready_tensor_type() {
  PyTypeObject& type = g_tensor_type;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  type.tp_doc = kDoc;
  type.tp_new = entry<tensor_new>;
  type.tp_init = entry<tensor_init>;
  type.tp_dealloc = tensor_dealloc;
  type.tp_free = PyObject_GC_Del;
  type.tp_traverse = tensor_traverse;
  type.tp_clear = tensor_clear;
  type.tp_setattro = tensor_setattr;
  type.tp_weaklistoffset = offsetof(TensorObject, weakrefs);
  type.tp_dictoffset = offsetof(TensorObject, dict);
  type.tp_hash = tensor_hash;
  type.tp_repr = entry<tensor_repr>;
  type.tp_str = entry<tensor_str>;
  type.tp_getset = g_tensor_attributes;
  type.tp_methods = g_tensor_methods;
  fill_number_slots(&type);
  fill_index_slots(&type);
  fill_buffer_slots(&type);
  return ready_tensor_class() && set_array_priority(&type);
}

}  // namespace msjit
