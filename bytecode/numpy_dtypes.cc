#include "bytecode/numpy_dtypes.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "bytecode/numpy_scalars.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

const char* const kNames[] = {"bool",    "int8",    "int16",     "int32",     "int64",
                              "uint8",   "uint16",  "uint32",    "uint64",    "float16",
                              "float32", "float64", "complex64", "complex128"};

PyTypeObject* dtype_class() {
  static constinit LibraryType loaded("numpy", "dtype");
  return loaded.get();
}

PyObject* made_of(PyObject* what) {
  PyObject* const made = host::call(host::checked, PyObject_CallFunctionObjArgs,
                                    reinterpret_cast<PyObject*>(dtype_class()), what, nullptr);
  if (!made) PyErr_Clear();
  return made;
}

// The dtypes of kNames; empty while NumPy is not loaded.
const std::vector<PyObject*>& dtypes() {
  static std::vector<PyObject*> all;
  for (size_t i = all.size(); dtype_class() && i < std::size(kNames); ++i)
    all.push_back(made_of(interned_text(kNames[i]).get()));
  return all;
}

// Whether NumPy takes a constant for a dtype without a warning and without asking the program.
bool names_a_dtype(PyObject* object) {
  if (is_numpy_dtype(object) || is_numpy_scalar_type(object)) return true;
  if (object == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
      object == reinterpret_cast<PyObject*>(&PyLong_Type) ||
      object == reinterpret_cast<PyObject*>(&PyBool_Type))
    return true;
  return PyUnicode_CheckExact(object) && std::ranges::any_of(kNames, [&](const char* name) {
           return PyUnicode_CompareWithASCIIString(object, name) == 0;
         });
}

}  // namespace

bool is_numpy_dtype(PyObject* object) {
  PyTypeObject* const cls = dtype_class();
  return cls && PyType_IsSubtype(Py_TYPE(object), cls) &&
         std::ranges::find(dtypes(), object) != dtypes().end();
}

PyObject* numpy_dtype_named(std::string_view name) {
  for (size_t i = 0; i < dtypes().size(); ++i)
    if (kNames[i] == name) return dtypes()[i];
  return nullptr;
}

bool make_numpy_dtype(Executor& x, PyObject* callable, const std::vector<SymRef>& args,
                      PyObject* names, SymRef* out, bool* known) {
  if (callable != reinterpret_cast<PyObject*>(dtype_class()) || names || args.size() != 1)
    return true;
  if (!x.look(args[0])) return false;
  PyObject* const what = args[0]->kind == SymKind::kConst ? args[0]->object.get() : nullptr;
  if (!what || !names_a_dtype(what)) return true;
  Ref made = Ref::steal(made_of(what));
  if (!made || !is_numpy_dtype(made.get())) return true;
  *out = make_const(std::move(made));
  return *known = true;
}

bool make_numpy_finfo(Executor& x, PyObject* callable, const std::vector<SymRef>& args,
                      PyObject* names, SymRef* out, bool* known) {
  static constinit LibraryType loaded("numpy", "finfo");
  auto* const type = reinterpret_cast<PyTypeObject*>(callable);
  if (!PyType_Check(callable) || type != loaded.get() || names || args.size() != 1) return true;
  if (!x.look(args[0])) return false;
  PyObject* const what = args[0]->kind == SymKind::kConst ? args[0]->object.get() : nullptr;
  if (!what || !names_a_dtype(what) || !x.heap().guard_class_version(type)) return true;
  PyObject* const kept = host::find_on_class(type, special_name("_finfo_cache"));
  if (!kept || !PyDict_CheckExact(kept)) return true;
  PyObject* found = host::call(host::checked, PyDict_GetItem, kept, what);
  // NumPy 2.5 keeps them by dtype alone.
  const Ref dtype = found ? Ref() : Ref::steal(made_of(what));
  if (dtype) found = host::call(host::checked, PyDict_GetItem, kept, dtype.get());
  if (!found) PyErr_Clear();
  // CPython makes it, and a later capture finds it.
  if (!found)
    return x.fail_for_now(BreakReason::kCallUnknown, "the first numpy.finfo() of a dtype");
  *out = x.heap().from_constant(Ref::share(found), "numpy.finfo()");
  return *known = true;
}

bool numpy_dtype_attribute(Executor& x, const SymRef& dtype, PyObject* name, SymRef* out) {
  static const char* const kPlain[] = {"alignment", "byteorder", "char",     "hasobject",
                                       "isbuiltin", "isnative",  "itemsize", "kind",
                                       "name",      "ndim",      "num",      "str"};
  const std::string_view text = utf8_text(name);
  PyObject* const object = dtype->object.get();
  const Ref answer = Ref::steal(host::call(host::checked, PyObject_GetAttr, object, name));
  if (!answer) PyErr_Clear();
  if (answer && text == "type" && is_numpy_scalar_type(answer.get()))
    return *out = make_const(answer), true;
  if (answer && std::ranges::find(kPlain, text) != std::end(kPlain) && (*out = from_python(answer)))
    return true;
  return x.fail(BreakReason::kAttribute, fmt::format("{} of a numpy.dtype", text));
}

bool compare_numpy_dtypes(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                          bool* known) {
  const auto object = [](const SymRef& value) {
    return value->kind == SymKind::kConst ? value->object.get() : nullptr;
  };
  PyObject *const left = object(a), *const right = object(b);
  if (!left || !right || (op != Py_EQ && op != Py_NE) ||
      (!is_numpy_dtype(left) && !is_numpy_dtype(right)) || !names_a_dtype(left) ||
      !names_a_dtype(right))
    return true;
  const Ref answer = Ref::steal(host::call(host::checked, PyObject_RichCompare, left, right, op));
  if (!answer) return x.raise_python("comparison of dtypes");
  if (!PyBool_Check(answer.get())) return true;
  *out = make_const(answer);
  return *known = true;
}

}  // namespace msjit
