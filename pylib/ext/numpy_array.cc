#include "pylib/ext/numpy_array.h"
#include "guards/py/host_call.h"

#include <algorithm>

namespace msjit {
namespace {

// Indices into the table of NumPy's C API; NumPy 1 and 2 have the same ones.
constexpr int kAbiVersion = 0, kArrayType = 2, kNewArray = 93, kSetBase = 282;
constexpr unsigned kAbi1 = 0x01000009, kAbi2 = 0x02000000;
constexpr int kAligned = 0x0100, kWriteable = 0x0400;

using NewArray = PyObject* (*)(PyTypeObject* type, int rank, const Py_ssize_t* dims,
                               int type_number, const Py_ssize_t* strides, void* data,
                               int item_size, int flags, PyObject* prototype);
using SetBase = int (*)(PyObject* array, PyObject* base);  // steals the base

struct NumpyApi {
  PyTypeObject* array_type = nullptr;  // null: not known
  NewArray new_array = nullptr;
  SetBase set_base = nullptr;
};

bool find_api(NumpyApi* api) {
  for (const char* name : {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
    const Ref module = Ref::steal(host::call(host::program, PyImport_ImportModule, name));
    const Ref capsule = module ? Ref::steal(host::call(host::program, PyObject_GetAttrString,
                                                       module.get(), "_ARRAY_API"))
                               : Ref();
    if (!capsule || !PyCapsule_CheckExact(capsule.get())) {
      PyErr_Clear();
      continue;
    }
    auto** const table = static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
    if (!table) return PyErr_Clear(), false;
    const unsigned version = reinterpret_cast<unsigned (*)()>(table[kAbiVersion])();
    if (version != kAbi1 && version != kAbi2) return false;
    api->array_type = static_cast<PyTypeObject*>(table[kArrayType]);
    api->new_array = reinterpret_cast<NewArray>(table[kNewArray]);
    api->set_base = reinterpret_cast<SetBase>(table[kSetBase]);
    return true;
  }
  return false;
}

int type_number(DType dtype) {
  switch (dtype) {
    case DType::kBool: return 0;
    case DType::kInt8: return 1;
    case DType::kUInt8: return 2;
    case DType::kInt16: return 3;
    case DType::kInt32: return 5;
    case DType::kInt64: return 7;
    case DType::kFloat16: return 23;
    case DType::kFloat32: return 11;
    case DType::kFloat64: return 12;
    case DType::kUInt16: return 4;
    case DType::kUInt32: return 6;
    case DType::kUInt64: return 8;
    case DType::kComplex64: return 14;
    case DType::kComplex128: return 15;
    case DType::kBFloat16: break;
  }
  return -1;
}

// The capsule that an array has as its base. It owns the storage, even if the tensor gets another.
constexpr const char* kMemory = "msjit.memory";

void release_memory(PyObject* capsule) {
  auto* const storage = static_cast<Storage*>(PyCapsule_GetPointer(capsule, kMemory));
  (*storage)->end_export();
  delete storage;
}

Ref hold(const Storage& storage) {
  auto held = std::make_unique<Storage>(storage);
  Ref capsule = Ref::steal(PyCapsule_New(held.get(), kMemory, release_memory));
  if (!capsule) return {};
  (*held.release())->begin_export();
  return capsule;
}

}  // namespace

Ref array_over(const Tensor& tensor) {
  static NumpyApi api;
  static bool looked = false;
  if (!looked) looked = (find_api(&api), true);
  if (!api.array_type) return {};
  const int rank = tensor.rank();
  const auto size = static_cast<Py_ssize_t>(item_size(tensor.dtype()));
  Py_ssize_t dims[kMaxRank], strides[kMaxRank];
  for (int i = 0; i < rank; ++i) {
    dims[i] = tensor.dim(i);
    strides[i] = tensor.strides()[i] * size;
  }
  Ref base = hold(tensor.storage());
  if (!base) return {};
  const int flags = kAligned | (tensor.storage()->read_only ? 0 : kWriteable);
  Ref array = Ref::steal(api.new_array(api.array_type, rank, dims, type_number(tensor.dtype()),
                                       strides, tensor.data(), 0, flags, nullptr));
  if (!array || api.set_base(array.get(), base.release()) < 0) return {};
  return array;
}

}  // namespace msjit
