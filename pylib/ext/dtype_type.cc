// msjit.float32 and its kin. str() gives MindSpore's name ("Float32"), repr() "msjit.float32";
// there is one object a dtype, so identity is equality.
#include <string>

#include "pylib/ext/tensor.h"

namespace msjit {

PyTypeObject g_dtype_type = {PyVarObject_HEAD_INIT(nullptr, 0) "msjit.DType", sizeof(DTypeObject)};

namespace {

DTypeObject g_dtypes[kNumDTypes];

DType dtype_of_object(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->dtype; }
// "bool" is a Python builtin, so the attribute is bool_.
std::string attribute_name(DType dtype) {
  return dtype == DType::kBool ? "bool_" : std::string(dtype_name(dtype));
}

Ref dtype_str(PyObject* self) {
  static constexpr const char* kNames[kNumDTypes] = {
      "Bool",    "UInt8",   "Int8",   "Int16",  "Int32",  "Int64",     "Float16",   "BFloat16",
      "Float32", "Float64", "UInt16", "UInt32", "UInt64", "Complex64", "Complex128"};
  return text_object(kNames[static_cast<int>(dtype_of_object(self))]);
}
Ref dtype_repr(PyObject* self) {
  return text_object(fmt::format("msjit.{}", dtype_name(dtype_of_object(self))));
}
Ref dtype_reduce(PyObject* self, PyObject*) {
  return text_object(attribute_name(dtype_of_object(self)));
}
Ref get_name(PyObject* self) { return text_object(dtype_name(dtype_of_object(self))); }
Ref get_module(PyObject*) { return text_object("msjit"); }
Ref get_itemsize(PyObject* self) {
  return Ref::steal(PyLong_FromLongLong(item_size(dtype_of_object(self))));
}
Ref get_is_float(PyObject* self) {
  return Ref::share(is_float(dtype_of_object(self)) ? Py_True : Py_False);
}
Ref get_is_complex(PyObject* self) {
  return Ref::share(is_complex(dtype_of_object(self)) ? Py_True : Py_False);
}
Ref get_is_signed(PyObject* self) {
  const DType d = dtype_of_object(self);
  return Ref::share(d != DType::kBool && !is_unsigned(d) ? Py_True : Py_False);
}

// dtype(x): the dtype that a name, NumPy dtype or Python type stands for.
Ref dtype_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  PyObject* object = nullptr;
  if ((kwargs && PyDict_GET_SIZE(kwargs)) || !PyArg_ParseTuple(args, "O:dtype", &object)) {
    if (!PyErr_Occurred()) fail(type_error("[dtype] keyword arguments, got some, expected none"));
    return {};
  }
  DType dtype;
  return dtype_from_object(object, "dtype", &dtype) ? Ref::share(dtype_object(dtype)) : Ref();
}
void dtype_dealloc(PyObject*) {}  // immortal

PyGetSetDef dtype_attributes[] = {
    {"name", get_attribute<get_name>, nullptr, "The name, as NumPy has it.", nullptr},
    {"__name__", get_attribute<get_name>, nullptr, nullptr, nullptr},
    {"__module__", get_attribute<get_module>, nullptr, nullptr, nullptr},
    {"itemsize", get_attribute<get_itemsize>, nullptr, "Bytes of an element.", nullptr},
    {"is_floating_point", get_attribute<get_is_float>, nullptr, nullptr, nullptr},
    {"is_complex", get_attribute<get_is_complex>, nullptr, nullptr, nullptr},
    {"is_signed", get_attribute<get_is_signed>, nullptr, nullptr, nullptr},
    {nullptr}};
PyMethodDef dtype_methods[] = {{"__reduce_ex__", one_arg<dtype_reduce>, METH_O, nullptr},
                               {nullptr}};

}  // namespace

PyObject* dtype_object(DType dtype) {
  return reinterpret_cast<PyObject*>(&g_dtypes[static_cast<int>(dtype)]);
}

bool ready_dtype_type() {
  g_dtype_type.tp_flags = Py_TPFLAGS_DEFAULT;
  g_dtype_type.tp_doc = "The type of a tensor's elements.";
  g_dtype_type.tp_new = entry<dtype_new>;
  g_dtype_type.tp_dealloc = dtype_dealloc;
  g_dtype_type.tp_str = entry<dtype_str>;
  g_dtype_type.tp_repr = entry<dtype_repr>;
  g_dtype_type.tp_getset = dtype_attributes;
  g_dtype_type.tp_methods = dtype_methods;
  if (PyType_Ready(&g_dtype_type) < 0) return false;
  for (int i = 0; i < kNumDTypes; ++i) {
    (void)PyObject_Init(reinterpret_cast<PyObject*>(&g_dtypes[i]), &g_dtype_type);
    g_dtypes[i].dtype = static_cast<DType>(i);
  }
  return true;
}

}  // namespace msjit
