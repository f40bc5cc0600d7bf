// NumPy's functions that make arrays of known numbers, and calls of NumPy's functions and ufuncs in
// general. Those on arrays are in numpy_arrays.cc. Numbers go through NumPy's own ufuncs where
// these cannot warn.
#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <unordered_map>

#include "bytecode/builtins/models.h"
#include "bytecode/known_arrays.h"
#include "bytecode/numpy_scalars.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

PyTypeObject* type_of_numpy(const char* name) {
  PyObject* const found = of_numpy(name);
  const bool own = found && PyType_Check(found) &&
                   std::strncmp(reinterpret_cast<PyTypeObject*>(found)->tp_name, "numpy.", 6) == 0;
  return own ? reinterpret_cast<PyTypeObject*>(found) : nullptr;
}

bool refuse(Executor& x, const char* name) { return wrong_arguments(x, name); }

bool keep_made(Executor& x, const char* name, const Ref& array, SymRef* out) {
  return array ? keep_result(x, name, array, {}, out) : (PyErr_Clear(), refuse(x, name));
}

// zeros(shape, dtype=float), ones(shape, dtype=None) and full(shape, value, dtype=None).
bool make_filled(Executor& x, const char* name, bool takes_value, double value, Args args,
                 PyObject* names, SymRef* out) {
  Keywords given(args, names);
  const auto argument = [&](size_t place, const char* key) {
    SymRef found = given.take(key);
    return found || given.positional.size() <= place ? found : given.positional[place];
  };
  const SymRef shape = argument(0, "shape");
  const SymRef filled = takes_value ? argument(1, "fill_value") : nullptr;
  SymRef dtype = argument(takes_value ? 2 : 1, "dtype");
  if (!shape || (takes_value && !filled) || !given.empty() ||
      given.positional.size() > (takes_value ? 3 : 2))
    return refuse(x, name);
  Ref dims = to_python(x, shape), kind, number;
  if (dims && is_numpy_integer(dims.get())) dims.reset();
  if (dtype && !(x.look(dtype) && dtype->is_const(Py_None)) && !(kind = dtype_argument(x, dtype)))
    return refuse(x, name);
  if (filled) {
    number = to_python(x, filled);
    if (!number || !(PyFloat_CheckExact(number.get()) || PyLong_CheckExact(number.get()) ||
                     PyBool_Check(number.get())))
      return refuse(x, name);
    if (!kind) kind = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(number.get())));
    value = PyFloat_AsDouble(number.get());
    if (PyErr_Occurred() || !(std::fabs(value) < 16000)) return PyErr_Clear(), refuse(x, name);
  }
  PyObject* const zeros = of_numpy("zeros");
  if (!dims || !zeros || !PyCFunction_Check(zeros)) return refuse(x, name);
  Ref array = Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs, zeros, dims.get(),
                                    kind ? kind.get() : nullptr, nullptr));
  if (!array) return x.raise_python(fmt::format("{}()", name));
  if (value != 0 || number) {
    if (!number) number = Ref::steal(PyLong_FromDouble(value));
    const Ref done = Ref::steal(
        host::call(host::checked, PyObject_CallMethod, array.get(), "fill", "O", number.get()));
    if (!done) return PyErr_Clear(), refuse(x, name);
  }
  return keep_made(x, name, array, out);
}

// array(data, dtype=None) and arange(...) of plain numbers.
bool make_of_data(Executor& x, const char* name, PyObject* function, Args args, PyObject* names,
                  SymRef* out) {
  Keywords given(args, names);
  const bool ranges = std::strcmp(name, "arange") == 0;
  SymRef dtype = given.take("dtype");
  if (!dtype && !ranges && given.positional.size() == 2) {
    dtype = given.positional.back();
    given.positional.pop_back();
  }
  const Ref kind = dtype ? dtype_argument(x, dtype) : Ref();
  if ((dtype && !kind) || !given.empty()) return refuse(x, name);
  if (given.positional.empty() || given.positional.size() > (ranges ? 3 : 1))
    return refuse(x, name);
  Ref tuple = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(given.positional.size()))));
  for (size_t i = 0; i < given.positional.size(); ++i) {
    Ref value = to_python(x, given.positional[i]);
    if (!value || (ranges && !PyLong_CheckExact(value.get()) && !PyFloat_CheckExact(value.get())))
      return refuse(x, name);
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), value.release());
  }
  // For elements that are no numbers, and for rows of unequal length, NumPy may warn: left to
  // CPython.
  Tensor plain;
  if (!ranges && !tensor_from_object(PyTuple_GET_ITEM(tuple.get(), 0), name, &plain))
    return PyErr_Clear(), refuse(x, name);
  const Ref keywords = allocated(Ref::steal(PyDict_New()));
  if (kind) host::call(host::checked, PyDict_SetItemString, keywords.get(), "dtype", kind.get());
  return keep_made(
      x, name,
      Ref::steal(host::call(host::checked, PyObject_Call, function, tuple.get(), keywords.get())),
      out);
}

// prod() and sum() of ints, for example of a shape.
bool fold_ints(Executor& x, const char* name, Args args, PyObject* names, SymRef* out) {
  constexpr double kExact = 1LL << 53;
  PyTypeObject* const type = type_of_numpy("int64");
  std::vector<SymRef> items;
  if (!positional(x, name, args, names, 1, 1) || !x.look(args[0])) return false;
  if (args[0]->kind != SymKind::kTuple && args[0]->kind != SymKind::kList && !args[0]->object)
    return refuse(x, name);
  if (args[0]->is_tensor() || !x.heap().items(args[0])) return refuse(x, name);
  items = *x.heap().items(args[0]);
  const bool product = std::strcmp(name, "prod") == 0;
  double total = product ? 1 : 0;
  if (items.empty() || !type) return refuse(x, name);
  for (const SymRef& item : items) {
    int64_t value = 0;
    if (!x.look(item)) return false;
    if (item->kind != SymKind::kConst || !PyLong_CheckExact(item->object.get()) ||
        !to_int(x, item, &value))
      return refuse(x, name);
    total = product ? total * static_cast<double>(value) : total + static_cast<double>(value);
    if (!(std::fabs(total) < kExact)) return refuse(x, name);
  }
  const Ref number = Ref::steal(PyLong_FromDouble(total));
  return fold_result(
      x,
      Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                            reinterpret_cast<PyObject*>(type), number.get(), nullptr)),
      name, out);
}

// The functions that have a model and are numpy's own.
using Functions = std::unordered_map<PyObject*, const char*>;
const Functions& numpy_functions() {
  static auto* const known = new Functions;
  if (!known->empty() || !loaded_module("numpy")) return *known;
  const auto add = [](const char* name) {
    if (PyObject* found = of_numpy(name); found && is_of_numpy(found))
      known->emplace(Ref::share(found).release(), name);  // they live as long as the interpreter
  };
  for (const char* name : {"zeros", "ones", "full", "array", "arange", "prod", "sum"}) add(name);
  for (const char* name : array_functions()) add(name);
  return *known;
}

}  // namespace

bool make_numpy_array(Executor& x, PyObject* type, const SymRef& data, double low, double high,
                      double smallest, SymRef* out) {
  const char* const name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  const Ref known = to_python(x, data);
  Tensor plain, wide;
  if (!known || !tensor_from_object(known.get(), name, &plain) || plain.rank() == 0 ||
      !plain.device().is_host() || !cast_tensor(plain, DType::kFloat64, &wide))
    return PyErr_Clear(), refuse(x, name);
  for (int64_t i = 0; i < wide.numel(); ++i)
    if (const double v = wide.data_as<double>()[i];
        !(v >= low && v <= high) || (v != 0 && std::fabs(v) < smallest))
      return refuse(x, name);
  return keep_made(x, name,
                   Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs, type,
                                         known.get(), nullptr)),
                   out);
}

bool call_numpy(Executor& x, PyObject* function, Args args, PyObject* names, SymRef* out,
                bool* known) {
  const Functions& functions = numpy_functions();
  const auto found = functions.find(function);
  *known = found != functions.end();
  if (!*known) return true;
  const std::string_view name(found->second);
  if (name == "zeros") return make_filled(x, found->second, false, 0, args, names, out);
  if (name == "ones") return make_filled(x, found->second, false, 1, args, names, out);
  if (name == "full") return make_filled(x, found->second, true, 0, args, names, out);
  if ((name == "prod" || name == "sum") && !has_array(args))
    return fold_ints(x, found->second, args, names, out);
  if (name == "arange" || (name == "array" && !has_array(args)))
    return make_of_data(x, found->second, function, args, names, out);
  return call_known(x, found->second, function, args, names, out);
}

bool call_numpy_object(Executor& x, const SymRef& callable, Args args, PyObject* names, SymRef* out,
                       bool* known) {
  PyObject* const object = callable->object.get();
  *known = false;
  if (!object || callable->source == kNoSource) return true;
  if (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) return true;
  const bool dispatcher = std::strstr(Py_TYPE(object)->tp_name, "_ArrayFunctionDispatcher");
  if (!dispatcher && Py_TYPE(object) != type_of_numpy("ufunc")) return true;
  if (x.heap().guards().source(callable->source).handed_in()) return true;
  x.heap().guard_identity(callable);
  if (dispatcher) return call_numpy(x, object, args, names, out, known);
  *known = true;
  if (!has_array(args)) return numpy_ufunc(x, object, args, names, out);
  const char* const name = name_of_ufunc(object);
  return name ? call_known(x, name, object, args, names, out) : refuse(x, "a ufunc");
}

}  // namespace msjit
