// Conversions between SymValues and the Python objects they stand for, and calls of pure functions
// on these.
#include <fmt/core.h>

#include <cmath>

#include "bytecode/builtins/models.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/size.h"
#include "bytecode/values/tensor_array.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

constexpr int kMaxDepth = 32;
constexpr Py_ssize_t kMaxSize = 4096;
constexpr Py_ssize_t kMaxText = 1 << 20;  // longer computed texts are not kept

bool is_plain_value(PyObject* o) {
  return PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyComplex_CheckExact(o) || PyBytes_CheckExact(o) ||
         PyRange_Check(o) || Py_TYPE(o) == &g_dtype_type || o == Py_None || o == Py_Ellipsis ||
         o == Py_NotImplemented || is_pattern(o) || is_match(o);
}

// Whether a constant holds plain values only, all the way down.
bool is_plain(PyObject* o) {
  if (PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
      if (!is_plain(PyTuple_GET_ITEM(o, i))) return false;
    return true;
  }
  return is_plain_value(o) || PyFrozenSet_CheckExact(o) || PySlice_Check(o);
}

bool holds_tensor(const SymRef& value) {
  if (value->is_tensor()) return true;
  for (const SymRef& item : value->items)
    if (item->is_tensor()) return true;
  return false;
}

}  // namespace

Ref to_python(Executor& x, const SymRef& value, int depth) {
  if (depth > kMaxDepth || !x.heap().realize(value)) return {};
  const auto convert = kind_of(value).to_python;
  return convert ? convert(x, value, depth) : Ref();
}

Ref to_python(Executor& x, const SymRef& value) {
  Ref made = to_python(x, value, 0);
  if (PyErr_Occurred()) PyErr_Clear();
  return made;
}

Ref constant_to_python(Executor&, const SymRef& value, int depth) {
  // A NaN equals nothing, but containers compare by identity first: a NaN inside one would have to
  // keep its identity.
  PyObject* const object = value->object.get();
  if (depth > 0 && PyFloat_CheckExact(object) && std::isnan(PyFloat_AS_DOUBLE(object))) return {};
  return is_plain(object) ? value->object : Ref();
}

SymRef from_python(const Ref& object) {
  PyObject* o = object.get();
  if ((PyUnicode_CheckExact(o) || PyBytes_CheckExact(o)) &&
      host::call(host::values, PyObject_Size, o) > kMaxText)
    return nullptr;
  if (is_plain(o) || is_numpy_scalar(o)) return make_const(object);
  const bool list = PyList_CheckExact(o);
  if (list || PyTuple_CheckExact(o)) {
    std::vector<SymRef> items;
    if (Py_SIZE(o) > kMaxSize) return nullptr;
    for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i) {
      PyObject* item = list ? PyList_GET_ITEM(o, i) : PyTuple_GET_ITEM(o, i);
      items.push_back(from_python(Ref::share(item)));
      if (!items.back()) return nullptr;
    }
    return make_items(list ? SymKind::kList : SymKind::kTuple, std::move(items));
  }
  if (!PyDict_CheckExact(o)) return nullptr;
  SymRef dict = make_sym(SymKind::kDict);
  Py_ssize_t position = 0;
  PyObject *key, *item;
  while (PyDict_Next(o, &position, &key, &item)) {
    dict->entries.emplace_back(from_python(Ref::share(key)), from_python(Ref::share(item)));
    if (!dict->entries.back().first || !dict->entries.back().second) return nullptr;
  }
  return dict;
}

bool wrong_arguments(Executor& x, const char* name) {
  return x.fail(BreakReason::kCallUnknown, fmt::format("{} with these arguments", name));
}

bool positional(Executor& x, const char* name, Args args, PyObject* names, size_t min, size_t max) {
  const bool fits =
      (!names || PyTuple_GET_SIZE(names) == 0) && args.size() >= min && args.size() <= max;
  return fits || wrong_arguments(x, name);
}

bool to_int(Executor& x, const SymRef& value, int64_t* out) {
  if (!x.heap().realize(value) || value->kind != SymKind::kConst ||
      !PyLong_Check(value->object.get()))
    return false;
  *out = PyLong_AsLongLong(value->object.get());
  if (*out != -1 || !PyErr_Occurred()) return true;
  PyErr_Clear();
  return false;
}

Keywords::Keywords(Args args, PyObject* names) : positional(args) {
  const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
  positional.resize(args.size() - static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const char* text = utf8_text(PyTuple_GET_ITEM(names, i));
    given_.emplace_back(text ? text : "", args[positional.size() + static_cast<size_t>(i)]);
  }
  left_ = static_cast<int>(count);
}

SymRef Keywords::take(const char* key) {
  for (auto& [name, value] : given_) {
    if (name != key) continue;
    --left_;
    return std::exchange(value, nullptr);
  }
  return nullptr;
}

bool fold_result(Executor& x, const Ref& result, const char* name, SymRef* out) {
  if (!result) return x.raise_python(fmt::format("{}()", name));
  *out = from_python(result);
  return *out ? true : wrong_arguments(x, name);
}

// Whether a pure function accepts an iterator and consumes it.
static bool takes_iterators(std::string_view name) {
  return name == "bytes" || name == "fsum" || name == "prod" || name.ends_with(".join") ||
         name.starts_with("frozenset.");
}

bool call_pure(Executor& x, PyObject* function, const char* name, Args args, PyObject* names,
               SymRef* out) {
  bool known = false;
  auto* const type = reinterpret_cast<PyTypeObject*>(function);
  if (!names && args.size() == 1 && (type == &PyLong_Type || type == &PyFloat_Type)) {
    if (!number_of_array(x, args[0], type, out, &known)) return false;
    if (known) return true;
  }
  if (!computed_call(x, function, name, args, names, out, &known)) return false;
  if (known) return true;
  if (!names && PyCFunction_Check(function) && !open_call(x, function, name, args, out, &known))
    return false;
  if (known) return true;
  // int() of an int is that int, even if its value is open.
  if (!names && args.size() == 1 && function == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    if (!x.look_open(args[0])) return false;
    if (args[0]->kind == SymKind::kSize) return *out = args[0], true;
    if (args[0]->is_tensor()) return number_of_tensor(x, args[0], &PyLong_Type, out);
  }
  if (!names && args.size() == 1 && function == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    if (!x.look_number(args[0])) return false;
    if (args[0]->kind == SymKind::kNumber) return *out = args[0], true;
    if (args[0]->is_tensor()) return number_of_tensor(x, args[0], &PyFloat_Type, out);
  }
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t count = args.size() - keywords;
  Ref tuple = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(count))));
  Ref given = keywords ? allocated(Ref::steal(PyDict_New())) : Ref();
  for (size_t i = 0; i < args.size(); ++i) {
    Ref value = to_python(x, args[i]);
    if (!value && takes_numpy(function, name))
      value = is_numpy_scalar(args[i]) ? args[i]->object : to_python(x, plain_value(x, args[i]));
    if (!value && args[i]->kind == SymKind::kIterator && takes_iterators(name)) {
      std::vector<SymRef> items;
      if (!x.unpack(args[i], &items)) return false;
      value = to_python(x, make_items(SymKind::kList, std::move(items)));
    }
    if (!value) {
      if (!x.look(args[i])) return false;
      return holds_tensor(args[i])
                 ? x.fail(BreakReason::kTensorValue, fmt::format("{}()", name))
                 : wrong_arguments(x, fmt::format("{}({})", name, describe(*args[i])).c_str());
    }
    if (PyLong_CheckExact(value.get()) || function == reinterpret_cast<PyObject*>(&PyLong_Type))
      if (may_be_too_long(value.get()))
        return x.fail(BreakReason::kUnsupported, fmt::format("{}() of a huge int", name));
    if (i < count)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), value.release());
    else if (host::call(host::checked, PyDict_SetItem, given.get(),
                        PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i - count)),
                        value.get()) < 0)
      return x.raise_python(fmt::format("{}()", name));
  }
  if (asks_outside(function, name, tuple.get(), given.get()))
    return x.fail(BreakReason::kUnsupported,
                  fmt::format("{}() with a codec or by the locale", name));
  return fold_result(
      x, Ref::steal(host::call(host::checked, PyObject_Call, function, tuple.get(), given.get())),
      name, out);
}

}  // namespace msjit
