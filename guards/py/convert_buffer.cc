// Arrays to tensors through the buffer protocol. Memory is shared when the layout is one a tensor
// can have: known element type, native byte order, aligned elements, strides in whole elements.
// Otherwise it is copied.
#include <memory>

#include "guards/py/convert.h"
#include "guards/py/late_release.h"

namespace msjit {
namespace {

struct Format {
  DType dtype;
  bool swapped = false;  // bytes of an element are in the other order
};

void release_buffer(void* context) {
  const auto release = [](void* held) {
    auto* view = static_cast<Py_buffer*>(held);
    PyBuffer_Release(view);
    delete view;
  };
  if (Py_IsInitialized())
    release_with_gil(release, context);
  else
    delete static_cast<Py_buffer*>(context);
}

DType unsigned_of(size_t size) {
  switch (size) {
    case 1: return DType::kUInt8;
    case 2: return DType::kUInt16;
    case 4: return DType::kUInt32;
    default: return DType::kUInt64;
  }
}

DType integer_of(size_t size) {
  switch (size) {
    case 1: return DType::kInt8;
    case 2: return DType::kInt16;
    case 4: return DType::kInt32;
    default: return DType::kInt64;
  }
}

bool parse_format(const Py_buffer& view, Format* out) {
  const char* text = view.format ? view.format : "B";
  if (*text == '>' || *text == '!') out->swapped = view.itemsize > 1;
  if (*text && std::strchr("@=<>!", *text)) ++text;
  if (text[0] == 'Z' && text[1] && !text[2]) {
    out->dtype = text[1] == 'f' ? DType::kComplex64 : DType::kComplex128;
    return text[1] == 'f' || text[1] == 'd';
  }
  if (!text[0] || text[1]) return false;
  switch (text[0]) {
    case '?': out->dtype = DType::kBool; return true;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': out->dtype = unsigned_of(static_cast<size_t>(view.itemsize)); return true;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': out->dtype = integer_of(static_cast<size_t>(view.itemsize)); return true;
    case 'e': out->dtype = DType::kFloat16; return true;
    case 'f': out->dtype = DType::kFloat32; return true;
    case 'd': out->dtype = DType::kFloat64; return true;
    default: return false;
  }
}

// Copies element by element, in index order, into contiguous memory.
void copy_elements(const Py_buffer& view, const Format& format, char* to) {
  const bool swapped = format.swapped;
  const auto part = static_cast<size_t>(item_size(real_dtype(format.dtype)));
  int64_t index[kMaxRank] = {};
  const char* from = static_cast<const char*>(view.buf);
  const auto size = static_cast<size_t>(view.itemsize);
  int64_t count = 1;
  for (int i = 0; i < view.ndim; ++i) count *= view.shape[i];
  for (int64_t n = 0; n < count; ++n, to += size) {
    std::memcpy(to, from, size);
    for (size_t at = 0; swapped && at < size; at += part)
      for (size_t a = at, b = at + part - 1; a < b; ++a, --b) std::swap(to[a], to[b]);
    for (int d = view.ndim - 1; d >= 0; --d) {
      from += view.strides[d];
      if (++index[d] < view.shape[d]) break;
      from -= view.strides[d] * view.shape[d];
      index[d] = 0;
    }
  }
}

bool shareable(const Py_buffer& view, const Format& format) {
  if (format.swapped || reinterpret_cast<uintptr_t>(view.buf) % static_cast<size_t>(view.itemsize))
    return false;
  for (int i = 0; i < view.ndim; ++i)
    if (view.strides[i] % view.itemsize) return false;
  return true;
}

bool copy_of(const Py_buffer& view, const Format& format, const Shape& shape, Tensor* out) {
  auto copy = Tensor::empty(format.dtype, shape);
  if (!copy.ok()) return fail(copy.take_error());
  *out = copy.take();
  char* to = out->data_as<char>();
  if (!format.swapped && PyBuffer_IsContiguous(&view, 'C')) {
    if (view.len) std::memcpy(to, view.buf, static_cast<size_t>(view.len));
  } else {
    copy_elements(view, format, to);
  }
  if (format.dtype == DType::kBool)  // foreign bools may hold any byte
    for (int64_t i = 0, n = out->numel(); i < n; ++i) to[i] = to[i] != 0;
  return true;
}

}  // namespace

bool is_array_like(PyObject* object) {
  if (PyBytes_Check(object) || PyByteArray_Check(object) || PyUnicode_Check(object)) return false;
  return PyObject_CheckBuffer(object);
}

bool tensor_from_buffer(PyObject* exporter, const char* where, bool copy, Tensor* out) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(exporter, view.get(), PyBUF_FULL_RO) < 0) {
    PyErr_Clear();
    return fail(
        type_error("[{}] elements of the array, got a {} that exports no plain numbers, expected a "
                   "dtype of msjit",
                   where, type_name(exporter)));
  }
  struct Release {
    Py_buffer* view;
    ~Release() {
      if (view) PyBuffer_Release(view);
    }
  } release{view.get()};
  Format format{};
  if (!parse_format(*view, &format) || view->itemsize != item_size(format.dtype) ||
      view->suboffsets)
    return fail(
        type_error("[{}] dtype of the array, got format '{}', expected a bool, integers, "
                   "float16, float32, float64, complex64 or complex128",
                   where, view->format ? view->format : "B"));
  if (view->ndim > kMaxRank)
    return fail(value_error("[{}] number of dimensions, got {}, expected at most {}", where,
                            view->ndim, kMaxRank));
  Shape shape, strides;
  for (int i = 0; i < view->ndim; ++i) shape.push_back(view->shape[i]);
  if (copy || !shareable(*view, format)) return copy_of(*view, format, shape, out);
  for (int i = 0; i < view->ndim; ++i) strides.push_back(view->strides[i] / view->itemsize);
  Storage storage =
      Storage::foreign(view->buf, static_cast<size_t>(view->len), release_buffer, view.get());
  storage->read_only = view->readonly;
  release.view = nullptr;
  (void)view.release();  // now owned by the storage
  *out = Tensor::from_storage(std::move(storage), format.dtype, shape, strides, 0);
  return true;
}

}  // namespace msjit
