// NumPy and the buffer protocol: exporting a tensor's memory, and `asnumpy`, `from_numpy`.
#include <memory>

#include "guards/py/host_call.h"
#include "pylib/ext/numpy_array.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

// The internals of an exported buffer. They keep the storage alive, even if the tensor gets
// another.
struct Export {
  ExportPin pin;
  Py_ssize_t shape[kMaxRank];
  Py_ssize_t strides[kMaxRank];
};

const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::kBool: return "?";
    case DType::kUInt8: return "B";
    case DType::kInt8: return "b";
    case DType::kInt16: return "h";
    case DType::kInt32: return "i";
    case DType::kInt64: return "q";
    case DType::kFloat16: return "e";
    case DType::kFloat32: return "f";
    case DType::kFloat64: return "d";
    case DType::kUInt16: return "H";
    case DType::kUInt32: return "I";
    case DType::kUInt64: return "Q";
    case DType::kComplex64: return "Zf";
    case DType::kComplex128: return "Zd";
    case DType::kBFloat16: break;
  }
  return nullptr;
}

bool fortran_contiguous(const Tensor& t) {
  int64_t expected = 1;
  for (int i = 0; i < t.rank(); ++i) {
    if (t.dim(i) != 1 && t.strides()[i] != expected) return false;
    expected *= t.dim(i);
  }
  return true;
}

const char* refusal(const Tensor& t, int flags) {
  if (!format_of(t.dtype()))
    return "[buffer] dtype, got bfloat16, expected one with a buffer format";
  if (!t.device().is_host())
    return "[buffer] buffer, got a tensor on a device, expected one on the CPU: see asnumpy()";
  if ((flags & PyBUF_WRITABLE) && t.storage()->read_only)
    return "[buffer] writable buffer, got a tensor on read-only memory, expected a writable one";
  const bool c = t.contiguous() || t.numel() == 0;
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !c)
    return "[buffer] C-contiguous buffer, got a strided tensor, expected a contiguous one";
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !fortran_contiguous(t))
    return "[buffer] Fortran-contiguous buffer, got another layout, expected a contiguous one";
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !c)
    return "[buffer] buffer without strides, got a strided tensor, expected a contiguous one";
  return nullptr;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  const Tensor& t = tensor_of(self);
  if (const char* why = refusal(t, flags)) return raise(PyExc_BufferError, why), -1;
  auto held = std::make_unique<Export>(ExportPin(t));
  const auto size = static_cast<Py_ssize_t>(item_size(t.dtype()));
  for (int i = 0; i < t.rank(); ++i) {
    held->shape[i] = t.dim(i);
    held->strides[i] = t.strides()[i] * size;
  }
  view->buf = t.data();
  view->len = t.nbytes();
  view->itemsize = size;
  view->readonly = t.storage()->read_only;
  view->ndim = t.rank();
  view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format_of(t.dtype())) : nullptr;
  view->shape = (flags & PyBUF_ND) ? held->shape : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? held->strides : nullptr;
  view->suboffsets = nullptr;
  view->internal = held.release();
  view->obj = new_reference(self);
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

PyBufferProcs g_buffer;

// numpy.asarray, imported on first use (borrowed).
PyObject* asarray() {
  static PyObject* function = nullptr;
  if (function) return function;
  const Ref numpy = Ref::steal(host::call(host::program, PyImport_ImportModule, "numpy"));
  if (numpy) function = host::call(host::program, PyObject_GetAttrString, numpy.get(), "asarray");
  return function;
}

}  // namespace

Ref to_numpy(const Tensor& tensor) {
  Tensor plain;
  if (!host_tensor(tensor, &plain)) return {};
  if (tensor.dtype() == DType::kBFloat16 && !cast_tensor(plain, DType::kFloat32, &plain)) return {};
  Ref array = array_over(plain);
  if (array || PyErr_Occurred()) return array;
  // A new object, so that the array keeps the current memory alive, not that which the tensor may
  // get later.
  Ref holder = wrap_tensor(Tensor::view(plain, plain.shape(), plain.strides(), 0));
  if (!holder) return {};
  PyObject* const convert = asarray();
  if (!convert) return {};
  return Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs, convert, holder.get(),
                               static_cast<PyObject*>(nullptr)));
}

Ref from_numpy(PyObject*, PyObject* array) {
  if (!is_array_like(array))
    return Ref::steal(raise(
        *type_error("[from_numpy] array, got {}, expected a numpy.ndarray", type_name(array))));
  Tensor tensor;
  if (!tensor_from_buffer(array, "from_numpy", false, &tensor)) return {};
  if (!place_on_default_device(&tensor)) return {};
  return wrap_tensor(std::move(tensor));
}

void fill_buffer_slots(PyTypeObject* type) {
  g_buffer.bf_getbuffer = entry<get_buffer>;
  g_buffer.bf_releasebuffer = entry<release_buffer>;
  type->tp_as_buffer = &g_buffer;
}

}  // namespace msjit
