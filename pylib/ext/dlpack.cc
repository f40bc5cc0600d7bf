// DLPack in both directions. The structures repeat the published ABI (versions 0.x and 1.x), of
// which nothing else is needed.
#include <memory>

#include "guards/py/host_call.h"
#include "guards/py/late_release.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};
constexpr int32_t kDLCpu = 1;
constexpr uint64_t kReadOnlyFlag = 1, kCopiedFlag = 2;
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBFloat = 4,
  kComplexCode = 5,
  kBool = 6
};

DLDataType dl_type(DType dtype) {
  uint8_t code = kFloat;
  if (is_bool(dtype))
    code = kBool;
  else if (is_unsigned(dtype))
    code = kUInt;
  else if (is_complex(dtype))
    code = kComplexCode;
  else if (is_integer(dtype))
    code = kInt;
  else if (dtype == DType::kBFloat16)
    code = kBFloat;
  return {code, static_cast<uint8_t>(item_size(dtype) * 8), 1};
}

bool dtype_from_dl(DLDataType type, DType* out) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const DLDataType own = dl_type(static_cast<DType>(i));
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1)
      return *out = static_cast<DType>(i), true;
  }
  return fail(type_error(
      "[from_dlpack] dtype, got code {} of {} bits and {} lanes, expected one of msjit's dtypes",
      type.code, type.bits, type.lanes));
}

// -- out --

template <class Managed>
struct Exported {
  ExportPin pin;
  Managed managed{};
  int64_t shape[kMaxRank];
  int64_t strides[kMaxRank];
};

template <class Managed>
void delete_exported(Managed* managed) {
  delete static_cast<Exported<Managed>*>(managed->context);
}

template <class Managed>
constexpr const char* kCapsuleName =
    std::is_same_v<Managed, DLManagedTensor> ? "dltensor" : "dltensor_versioned";

// Frees a capsule that nobody consumed. A consumer renames it, and frees it itself.
template <class Managed>
void capsule_destructor(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kCapsuleName<Managed>)) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsuleName<Managed>));
  if (managed && managed->deleter) managed->deleter(managed);
}

template <class Managed>
Ref export_tensor(const Tensor& t, bool copied) {
  auto exported = std::make_unique<Exported<Managed>>(ExportPin(t));
  for (int i = 0; i < t.rank(); ++i) {
    exported->shape[i] = t.dim(i);
    exported->strides[i] = t.strides()[i];
  }
  exported->managed.tensor = {t.data(),        {kDLCpu, 0},       t.rank(), dl_type(t.dtype()),
                              exported->shape, exported->strides, 0};
  exported->managed.context = exported.get();
  exported->managed.deleter = delete_exported<Managed>;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    exported->managed.major = 1;
    exported->managed.flags =
        (t.storage()->read_only ? kReadOnlyFlag : 0) | (copied ? kCopiedFlag : 0);
  }
  Ref capsule = Ref::steal(
      PyCapsule_New(&exported->managed, kCapsuleName<Managed>, capsule_destructor<Managed>));
  if (capsule) (void)exported.release();
  return capsule;
}

// -- in --

template <class Managed>
void delete_imported(void* context) {
  const auto release = [](void* held) {
    auto* managed = static_cast<Managed*>(held);
    if (managed->deleter) managed->deleter(managed);
  };
  release_with_gil(release, context);  // the producer may be Python's
}

bool check_imported(const DLTensor& t) {
  if (t.device.device_type != kDLCpu)
    return fail(value_error("[from_dlpack] device type, got {}, expected {} (cpu)",
                            t.device.device_type, kDLCpu));
  if (t.ndim < 0 || t.ndim > kMaxRank)
    return fail(value_error("[from_dlpack] number of dimensions, got {}, expected at most {}",
                            t.ndim, kMaxRank));
  return true;
}

template <class Managed>
Ref import_capsule(PyObject* capsule, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kCapsuleName<Managed>));
  if (!managed) return {};
  const DLTensor& from = managed->tensor;
  DType dtype;
  bool read_only = false;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    if (managed->major != 1)
      return Ref::steal(raise(*value_error("[from_dlpack] version, got {}.{}, expected 1.x",
                                           managed->major, managed->minor)));
    read_only = managed->flags & kReadOnlyFlag;
  }
  if (!check_imported(from) || !dtype_from_dl(from.dtype, &dtype)) return {};
  Shape shape, strides;
  for (int i = 0; i < from.ndim; ++i) shape.push_back(from.shape[i]);
  strides = contiguous_strides(shape);
  for (int i = 0; i < from.ndim && from.strides; ++i) strides[i] = from.strides[i];
  auto* data = static_cast<char*>(from.data) + from.byte_offset;
  if (PyCapsule_SetName(capsule, used_name) < 0) return {};
  PyCapsule_SetDestructor(capsule, nullptr);
  const auto bytes = static_cast<size_t>(shape.numel() * item_size(dtype));
  Storage storage = Storage::foreign(data, bytes, delete_imported<Managed>, managed);
  storage->read_only = read_only;
  return wrap_tensor(Tensor::from_storage(std::move(storage), dtype, shape, strides, 0));
}

// Asks the producer for a capsule of version 1. An older producer gives an older one.
Ref capsule_of(PyObject* producer) {
  Ref method =
      Ref::steal(host::call(host::program, PyObject_GetAttrString, producer, "__dlpack__"));
  if (!method) {
    PyErr_Clear();
    return Ref::steal(
        raise(*type_error("[from_dlpack] argument, got {}, expected an object with __dlpack__",
                          type_name(producer))));
  }
  Ref kwargs = Ref::steal(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  Ref none = Ref::steal(PyTuple_New(0));
  if (!kwargs || !none) return {};
  Ref capsule =
      Ref::steal(host::call(host::program, PyObject_Call, method.get(), none.get(), kwargs.get()));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
  PyErr_Clear();
  return Ref::steal(host::call(host::program, PyObject_CallObject, method.get(), nullptr));
}

bool check_device(PyObject* device) {
  int type = 0, number = 0;
  if (!PyArg_ParseTuple(device, "ii", &type, &number)) return false;
  return type == kDLCpu ||
         fail(value_error("[__dlpack__] dl_device, got type {}, expected {} (cpu)", type, kDLCpu));
}

}  // namespace

Ref tensor_dlpack(PyObject* self, const Args& args) {
  static constexpr const char* kNames[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* a[4];
  if (!parse_args(args, "__dlpack__", kNames, 0, a)) return {};
  for (PyObject*& value : a)
    if (value == Py_None) value = nullptr;
  if (a[0] && !(PyLong_Check(a[0]) && PyLong_AsLong(a[0]) == -1))
    return Ref::steal(
        raise(*value_error("[__dlpack__] stream, got one, expected None for a cpu tensor")));
  if (a[2] && (!PyTuple_Check(a[2]) || !check_device(a[2]))) {
    if (!PyErr_Occurred())
      fail(type_error("[__dlpack__] dl_device, got {}, expected a tuple", type_name(a[2])));
    return {};
  }
  long major = 0;
  if (a[1] && PyTuple_Check(a[1]) && PyTuple_GET_SIZE(a[1]) > 0)
    major = PyLong_AsLong(PyTuple_GET_ITEM(a[1], 0));
  if (PyErr_Occurred()) return {};
  bool copy = false;
  if (!truth_from_object(a[3], false, &copy)) return {};
  Tensor t = tensor_of(self);
  if (!t.device().is_host())
    return Ref::steal(raise(PyExc_BufferError,
                            "[__dlpack__] device, got a tensor on a GPU, expected one on the CPU: "
                            "see move_to('CPU')"));
  if (copy) {
    auto made = Tensor::empty(t.dtype(), t.shape());
    if (!made.ok()) return Ref::steal(raise(made.error()));
    if (t.numel()) copy_strided(t, made.value());
    t = made.take();
  }
  if (major >= 1) return export_tensor<DLManagedTensorVersioned>(t, copy);
  if (t.storage()->read_only)
    return Ref::steal(
        raise(PyExc_BufferError,
              "[__dlpack__] tensor, got one on read-only memory, expected a consumer of DLPack 1"));
  return export_tensor<DLManagedTensor>(t, copy);
}

Ref tensor_dlpack_device(PyObject*) { return Ref::steal(Py_BuildValue("(ii)", kDLCpu, 0)); }

Ref from_dlpack(PyObject*, PyObject* producer) {
  Ref capsule = PyCapsule_CheckExact(producer) ? Ref::share(producer) : capsule_of(producer);
  if (!capsule) return {};
  if (PyCapsule_IsValid(capsule.get(), kCapsuleName<DLManagedTensorVersioned>))
    return import_capsule<DLManagedTensorVersioned>(capsule.get(), "used_dltensor_versioned");
  if (PyCapsule_IsValid(capsule.get(), kCapsuleName<DLManagedTensor>))
    return import_capsule<DLManagedTensor>(capsule.get(), "used_dltensor");
  return Ref::steal(
      raise(*type_error("[from_dlpack] capsule, got one already used, expected a fresh one")));
}

}  // namespace msjit
