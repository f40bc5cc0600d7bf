#include "guards/py/convert.h"
#include "guards/py/host_call.h"

#include <string>

#include "kernels/core/registry.h"
#include "kernels/device/device_tensors.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {
namespace {

// NumPy's own truth scalar, whose name lost its underscore in NumPy 2.
bool is_numpy_bool(PyObject* object) {
  std::string_view name = type_name(object);
  return name == "numpy.bool_" || name == "numpy.bool";
}

const char* kind_text(ParamKind kind) {
  switch (kind) {
    case ParamKind::kBool: return "a bool";
    case ParamKind::kInt: return "an int";
    case ParamKind::kFloat: return "a float";
    case ParamKind::kNumber: return "a number";
    case ParamKind::kIntList: return "an int or a tuple of ints";
    case ParamKind::kDType: return "a dtype";
    case ParamKind::kString: return "a str";
    default: return "a Tensor";
  }
}

bool wrong_type(const char* where, const char* what, PyObject* object, const char* expected) {
  return fail(type_error("[{}] {}, got {}, expected {}", where, what, type_name(object), expected));
}

bool truth_as_attr(PyObject* object, AttrValue* out) {
  bool truth = false;
  if (!truth_from_object(object, false, &truth)) return false;
  *out = AttrValue(truth);
  return true;
}

bool number_from_object(const char* where, const char* what, PyObject* object, AttrValue* out) {
  if (PyBool_Check(object) || is_numpy_bool(object)) return truth_as_attr(object, out);
  if (PyIndex_Check(object) && !PyFloat_Check(object) && !is_tensor(object)) {
    int64_t value;
    if (!int_from_object(object, where, what, &value)) return false;
    *out = AttrValue(value);
    return true;
  }
  double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    return wrong_type(where, what, object, "a number");
  }
  *out = AttrValue(value);
  return true;
}

bool float_from_object(const char* where, const char* what, PyObject* object, AttrValue* out) {
  if (PyFloat_CheckExact(object)) {
    *out = AttrValue(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (!number_from_object(where, what, object, out)) return false;
  *out = AttrValue(out->as_float());
  return true;
}

bool bool_from_object(const char* where, const char* what, PyObject* object, AttrValue* out) {
  if (!PyLong_Check(object) && !is_numpy_bool(object))
    return wrong_type(where, what, object, "a bool");
  return truth_as_attr(object, out);
}

bool string_from_object(const char* where, const char* what, PyObject* object, AttrValue* out) {
  if (!PyUnicode_Check(object)) return wrong_type(where, what, object, "a str");
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (!text) return false;
  *out = AttrValue(std::string_view(text, static_cast<size_t>(size)));
  return true;
}

// "float32" of numpy.dtype("float32"), numpy.float32 or the text itself.
Ref dtype_name_of(PyObject* object) {
  if (PyUnicode_Check(object)) return Ref::share(object);
  Ref name = Ref::steal(host::call(host::program, PyObject_GetAttrString, object,
                                   PyType_Check(object) ? "__name__" : "name"));
  if (!name) PyErr_Clear();
  return name;
}

}  // namespace

bool is_numpy_scalar(PyObject* object) { return is_numpy_scalar_class(Py_TYPE(object)); }

bool is_numpy_scalar_class(const PyTypeObject* type) {
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) || type->tp_itemsize != 0) return false;
  const std::string_view name = type->tp_name;
  for (const char* known : {"numpy.float32", "numpy.float64", "numpy.float16", "numpy.int64",
                            "numpy.int32", "numpy.int16", "numpy.int8", "numpy.uint8",
                            "numpy.uint16", "numpy.uint32", "numpy.bool_", "numpy.bool"})
    if (name == known) return true;
  return false;
}

bool truth_from_object(PyObject* object, bool missing, bool* out) {
  const int truth = object ? host::call(host::program, PyObject_IsTrue, object) : missing;
  *out = truth > 0;
  return truth >= 0;
}

bool tensor_from_number(PyObject* number, const char* where, Tensor* out) {
  if (PyBool_Check(number)) {
    *out = Tensor::scalar(number == Py_True, true);
    return true;
  }
  if (PyFloat_Check(number)) {
    *out = Tensor::scalar(PyFloat_AS_DOUBLE(number), true);
    return true;
  }
  int64_t value;
  if (!int_from_object(number, where, "number", &value)) return false;
  *out = Tensor::scalar(value, true);
  return true;
}

bool tensor_from_object(PyObject* object, const char* where, Tensor* out) {
  if (is_tensor(object)) {
    *out = tensor_of(object);
    return true;
  }
  if (is_number(object)) return tensor_from_number(object, where, out);
  if (PyList_Check(object) || PyTuple_Check(object))
    return tensor_from_sequence(object, where, out);
  if (!is_array_like(object))
    return wrong_type(where, "argument", object, "a Tensor, number, list or array");
  if (!tensor_from_buffer(object, where, false, out)) return false;
  // A NumPy scalar counts as a number: it can change the other operand's kind (int to float), not
  // its width.
  bool is_scalar =
      out->rank() == 0 && !host::call(host::program, PyObject_HasAttrString, object, "__setitem__");
  if (is_scalar) out->impl()->meta.weak = true;
  return true;
}

bool place_on_default_device(Tensor* tensor) {
  const Device device = default_device();
  if (device.is_host()) [[likely]]
    return true;
  auto placed = devices::to_device(*tensor, device);
  if (!placed.ok()) return fail(placed.take_error());
  *tensor = placed.take();
  return true;
}

bool operand_from_object(PyObject* object, const char* where, Tensor* out) {
  if (!tensor_from_object(object, where, out)) return false;
  return out->rank() == 0 || is_tensor(object) || place_on_default_device(out);
}

bool operand_from_sequence(PyObject* sequence, const char* where, DType dtype, Tensor* out) {
  bool doubles = false;  // floats are rounded once, to `dtype`
  Tensor read;
  return tensor_from_sequence(sequence, where, &read, &doubles) && cast_tensor(read, dtype, out) &&
         (out->rank() == 0 || place_on_default_device(out));
}

bool cast_tensor(const Tensor& tensor, DType dtype, Tensor* out) {
  static const OpDef* cast = find_op("cast");
  if (tensor.dtype() == dtype && !tensor.meta().weak) {
    *out = tensor;
    return true;
  }
  if (!cast) return fail(internal_error("[cast] operator, got none"));
  Attrs attrs{AttrValue(dtype)};
  TensorVec result;
  Status status = run_op_untracked(*cast, {&tensor, 1}, attrs, &result);
  if (!status.ok()) return fail(status.take_error());
  *out = std::move(result[0]);
  return true;
}

bool dtype_from_object(PyObject* object, const char* where, DType* out) {
  if (Py_TYPE(object) == &g_dtype_type) {
    *out = reinterpret_cast<DTypeObject*>(object)->dtype;
    return true;
  }
  if (PyType_Check(object)) {
    auto* type = reinterpret_cast<PyTypeObject*>(object);
    if (type == &PyBool_Type) return *out = DType::kBool, true;
    if (type == &PyLong_Type) return *out = DType::kInt64, true;
    if (type == &PyFloat_Type) return *out = DType::kFloat32, true;
    if (type == &PyComplex_Type) return *out = DType::kComplex128, true;
  }
  Ref name = dtype_name_of(object);
  if (name && PyUnicode_Check(name.get())) {
    const char* utf8 = PyUnicode_AsUTF8(name.get());
    if (!utf8) return false;
    std::string text = utf8;
    for (char& c : text) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
    if (text == "bool_") text = "bool";
    if (text == "int") text = "int64";
    if (text == "float") text = "float32";
    if (text == "complex") text = "complex128";
    if (dtype_from_name(text, out)) return true;
    if (PyUnicode_Check(object))
      return fail(type_error("[{}] dtype, got '{}', expected the name of a dtype", where, utf8));
  }
  return wrong_type(where, "dtype", object, "a dtype");
}

bool astype_dtype(PyObject* object, DType* out) {
  const bool wide =
      object == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
      (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "float") == 0);
  if (wide) return *out = DType::kFloat64, true;
  return dtype_from_object(object, "astype", out);
}

bool int_from_object(PyObject* object, const char* where, const char* what, int64_t* out) {
  Ref index;
  if (!PyLong_Check(object)) {
    if (!PyIndex_Check(object)) return wrong_type(where, what, object, "an int");
    index = Ref::steal(host::call(host::program, PyNumber_Index, object));
    if (!index) {  // arrays of several elements, tensors of floats: TypeError; anything else is the
                   // user's own
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
      PyErr_Clear();
      return wrong_type(where, what, object, "an int");
    }
    object = index.get();
  }
  int overflow = 0;
  *out = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return *out != -1 || !PyErr_Occurred();
  return fail(overflow_error("[{}] {}, got an int beyond 64 bits, expected one that fits int64",
                             where, what));
}

bool ints_from_object(PyObject* object, const char* where, const char* what, IntList* out) {
  constexpr const char* kExpected = "an int or a tuple of ints";
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      int64_t value;
      Ref item = Ref::share(PySequence_Fast_GET_ITEM(object, i));
      if (!PyIndex_Check(item.get())) return wrong_type(where, what, item.get(), kExpected);
      if (!int_from_object(item.get(), where, what, &value)) return false;
      out->push_back(value);
    }
    return true;
  }
  bool scalar = PyLong_Check(object) || (is_tensor(object) && tensor_of(object).rank() == 0);
  if (scalar || (PyIndex_Check(object) && !PySequence_Check(object))) {
    int64_t value;
    if (!int_from_object(object, where, what, &value)) return false;
    out->push_back(value);
    return true;
  }
  if (PyUnicode_Check(object) || PyBytes_Check(object) || !PySequence_Check(object))
    return wrong_type(where, what, object, kExpected);
  Ref items = Ref::steal(host::call(host::program, PySequence_List, object));
  return items && ints_from_object(items.get(), where, what, out);
}

bool attr_from_object(const OpDef& op, const Param& param, PyObject* object, AttrValue* out) {
  const char* what = param.name.c_str();
  if (object == Py_None) {
    if (param.optional) return *out = AttrValue(), true;
    return wrong_type(op.name, what, object, kind_text(param.kind));
  }
  // True is an int for Python, but no axis or size.
  if (PyBool_Check(object) && (param.kind == ParamKind::kInt || param.kind == ParamKind::kIntList))
    return wrong_type(op.name, what, object, kind_text(param.kind));
  switch (param.kind) {
    case ParamKind::kBool: return bool_from_object(op.name, what, object, out);
    case ParamKind::kFloat: return float_from_object(op.name, what, object, out);
    case ParamKind::kNumber: return number_from_object(op.name, what, object, out);
    case ParamKind::kString: return string_from_object(op.name, what, object, out);
    case ParamKind::kInt: {
      int64_t value;
      if (!int_from_object(object, op.name, what, &value)) return false;
      return *out = AttrValue(value), true;
    }
    case ParamKind::kIntList: {
      IntList list;
      if (!ints_from_object(object, op.name, what, &list)) return false;
      return *out = AttrValue(std::move(list)), true;
    }
    case ParamKind::kDType: {
      DType dtype;
      if (!dtype_from_object(object, op.name, &dtype)) return false;
      return *out = AttrValue(dtype), true;
    }
    default:
      return fail(internal_error("[{}] attribute {}, got a tensor parameter", op.name, what));
  }
}

Ref shape_tuple(std::span<const int64_t> values) {
  Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  if (!tuple) return {};
  for (size_t i = 0; i < values.size(); ++i) {
    PyObject* item = PyLong_FromLongLong(values[i]);
    if (!item) return {};
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
  }
  return tuple;
}

Ref element_to_python(DType dtype, const void* data) {
  return dispatch_any_dtype(dtype, [&](auto tag) -> Ref {
    using T = typename decltype(tag)::type;
    const T& value = *static_cast<const T*>(data);
    if constexpr (std::is_same_v<T, bool>)
      return Ref::steal(PyBool_FromLong(value));
    else if constexpr (std::is_same_v<T, uint64_t>)
      return Ref::steal(PyLong_FromUnsignedLongLong(value));
    else if constexpr (std::is_integral_v<T>)
      return Ref::steal(PyLong_FromLongLong(value));
    else if constexpr (kIsComplex<T>)
      return Ref::steal(PyComplex_FromDoubles(value.real(), value.imag()));
    else
      return Ref::steal(PyFloat_FromDouble(static_cast<double>(value)));
  });
}

}  // namespace msjit
