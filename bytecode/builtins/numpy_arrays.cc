// NumPy's functions, ufuncs and methods on arrays made of known values.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <unordered_set>
#include <utility>

#include "bytecode/builtins/models.h"
#include "bytecode/known_arrays.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/array_layout.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

// A function, and how many of its first arguments may be arrays: behind them would be the array
// that receives the result.
struct ArrayRow {
  const char* name;
  size_t arrays;
};
// None of them runs code of a program, or warns by warnings.warn() of arrays that are not empty.
constexpr ArrayRow kArrayFunctions[] = {
    {"array", 1},        {"asarray", 1},     {"zeros_like", 1},  {"ones_like", 1},
    {"full_like", 2},    {"eye", 0},         {"identity", 0},    {"linspace", 2},
    {"logspace", 2},     {"triu", 1},        {"tril", 1},        {"diag", 1},
    {"stack", 1},        {"concatenate", 1}, {"vstack", 1},      {"hstack", 1},
    {"tile", 1},         {"repeat", 2},      {"meshgrid", 8},    {"outer", 2},
    {"where", 3},        {"clip", 3},        {"cumsum", 1},      {"cumprod", 1},
    {"diff", 1},         {"sum", 1},         {"prod", 1},        {"mean", 1},
    {"std", 1},          {"var", 1},         {"max", 1},         {"amax", 1},
    {"min", 1},          {"amin", 1},        {"argmax", 1},      {"argmin", 1},
    {"argsort", 1},      {"sort", 1},        {"all", 1},         {"any", 1},
    {"dot", 2},          {"round", 1},       {"around", 1},      {"roll", 1},
    {"flip", 1},         {"reshape", 1},     {"transpose", 1},   {"expand_dims", 1},
    {"squeeze", 1},      {"ravel", 1},       {"swapaxes", 1},    {"moveaxis", 1},
    {"isclose", 2},      {"allclose", 2},    {"array_equal", 2}, {"searchsorted", 2},
    {"digitize", 2},     {"interp", 3},      {"kron", 2},        {"unique", 1},
    {"count_nonzero", 1}};
constexpr ArrayRow kArrayMethods[] = {
    {"astype", 1},   {"copy", 1},    {"reshape", 1}, {"transpose", 1}, {"sum", 1},   {"prod", 1},
    {"mean", 1},     {"std", 1},     {"var", 1},     {"max", 1},       {"min", 1},   {"argmax", 1},
    {"argmin", 1},   {"argsort", 1}, {"cumsum", 1},  {"cumprod", 1},   {"all", 1},   {"any", 1},
    {"round", 1},    {"clip", 3},    {"repeat", 2},  {"flatten", 1},   {"ravel", 1}, {"squeeze", 1},
    {"swapaxes", 1}, {"dot", 2},     {"item", 1},    {"tolist", 1}};
constexpr ArrayRow kArrayOperators[] = {{"__getitem__", 2}, {"__setitem__", 3}};

constexpr const char* kArrayKeywords[] = {
    "axis",     "axes",    "dtype",       "keepdims",  "k",          "M",    "N",     "num",
    "endpoint", "repeats", "decimals",    "indexing",  "shift",      "copy", "a_min", "a_max",
    "min",      "max",     "reps",        "shape",     "fill_value", "base", "n",     "start",
    "stop",     "source",  "destination", "minlength", "object",     "v",    "data"};

const ArrayLayout& layout(PyObject* array) { return array_layout(array); }

bool same_shape(PyObject* a, PyObject* b) {
  return layout(a).rank == layout(b).rank &&
         std::equal(layout(a).shape, layout(a).shape + layout(a).rank, layout(b).shape);
}

bool is_sequence(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }
PyObject* item_of(PyObject* sequence, Py_ssize_t i) {
  return PyList_CheckExact(sequence) ? PyList_GET_ITEM(sequence, i) : PyTuple_GET_ITEM(sequence, i);
}

// Whether a list becomes one array without a warning: rows of unequal length do not.
bool is_even(PyObject* list) {
  bool nested = false, arrays = false;
  for (Py_ssize_t i = 0; i < Py_SIZE(list); ++i) {
    nested |= is_sequence(item_of(list, i));
    arrays |= is_ndarray(item_of(list, i));
  }
  Tensor plain;
  if (nested && (arrays || !tensor_from_object(list, "array", &plain))) return PyErr_Clear(), false;
  return true;
}

// Whether array() joins the items of a list without a warning: all of them are arrays of one shape,
// or none is an array. stack() and the like look at the items one by one instead.
bool is_even_for_array(PyObject* list) {
  if (!is_sequence(list)) return true;
  for (Py_ssize_t i = 0; i < Py_SIZE(list); ++i)
    if (is_ndarray(item_of(list, i)) != is_ndarray(item_of(list, 0)) ||
        (is_ndarray(item_of(list, i)) && !same_shape(item_of(list, i), item_of(list, 0))))
      return false;
  return true;
}

constexpr int kMaxNesting = 8;  // a list may hold itself

// The names of dtypes, and of orders of meshgrid(). Of some others NumPy warns.
bool is_known_text(PyObject* text) {
  static constexpr std::string_view kTexts[] = {
      "float", "int",    "bool",   "float16", "float32", "float64", "int8", "int16",
      "int32", "int64",  "uint8",  "uint16",  "uint32",  "uint64",  "f2",   "f4",
      "f8",    "i1",     "i2",     "i4",      "i8",      "u1",      "u2",   "u4",
      "u8",    "single", "double", "half",    "ij",      "xy"};
  return std::ranges::find(kTexts, std::string_view(utf8_text(text))) != std::end(kTexts);
}

Ref known_items(Executor& x, const SymRef& value, int depth) {
  const std::vector<SymRef>* const items = x.heap().items(value);
  if (!items) return {};
  const Ref list = allocated(Ref::steal(PyList_New(0)));
  for (const SymRef& item : std::vector<SymRef>(*items)) {
    const Ref known = depth < kMaxNesting ? known_value(x, item, depth + 1) : Ref();
    if (!known || PyList_Append(list.get(), known.get()) < 0) return PyErr_Clear(), Ref();
  }
  if (!is_even(list.get())) return {};
  return value->kind == SymKind::kList ? list : Ref::steal(PyList_AsTuple(list.get()));
}

const ArrayRow* find_row(std::span<const ArrayRow> rows, std::string_view name) {
  const auto found =
      std::ranges::find_if(rows, [&](const ArrayRow& row) { return name == row.name; });
  return found == rows.end() ? nullptr : &*found;
}

bool is_symbolic_list(const SymRef& value) {
  return value->kind == SymKind::kList || value->kind == SymKind::kTuple;
}

// Collects the arrays of an argument; those in lists too.
void add_arrays(const SymRef& value, std::vector<SymRef>* out, int depth = 0) {
  if (is_array(value)) out->push_back(value);
  if (is_symbolic_list(value) && depth < kMaxNesting)
    for (const SymRef& item : value->items) add_arrays(item, out, depth + 1);
}

bool has_empty(const std::vector<SymRef>& arrays) {
  return std::ranges::any_of(arrays,
                             [](const SymRef& a) { return count_of(a->object.get()) == 0; });
}

// Makes the arguments of a call. False: one is not known.
bool known_arguments(Executor& x, size_t num_arrays, Args args, PyObject* names, KnownCall* call) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t count = args.size() - keywords;
  call->args = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(count))));
  if (keywords) call->keywords = allocated(Ref::steal(PyDict_New()));
  for (size_t i = 0; i < args.size(); ++i) {
    Ref value = known_value(x, args[i]);
    if (!value || (i >= num_arrays && has_array({args[i]}))) return false;
    add_arrays(args[i], &call->arrays);
    if (i < count) {
      PyTuple_SET_ITEM(call->args.get(), static_cast<Py_ssize_t>(i), value.release());
      continue;
    }
    PyObject* const key = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i - count));
    const std::string_view text = utf8_text(key);
    if (std::ranges::find(kArrayKeywords, text) == std::end(kArrayKeywords)) return false;
    if (host::call(host::values, PyDict_SetItem, call->keywords.get(), key, value.get()) < 0)
      return PyErr_Clear(), false;
  }
  return true;
}

// Whether a float of the program is among the arguments: a loss, say, which the next call changes.
bool has_float_of_program(const std::vector<SymRef>& values, int depth = 0) {
  return std::ranges::any_of(values, [depth](const SymRef& value) {
    const bool changes =
        value->source != kNoSource && value->object && PyFloat_CheckExact(value->object.get());
    return changes || value->kind == SymKind::kNumber ||
           (is_symbolic_list(value) && depth < kMaxNesting &&
            has_float_of_program(value->items, depth + 1));
  });
}

bool call_row(Executor& x, const ArrayRow& row, PyObject* function, Args args, PyObject* names,
              SymRef* out) {
  KnownCall call{Ref::share(function), {}, {}, {}};
  if (!known_arguments(x, row.arrays, args, names, &call) || has_empty(call.arrays))
    return wrong_arguments(x, row.name);
  if (std::strstr(row.name, "array") && PyTuple_GET_SIZE(call.args.get()) > 0 &&
      !is_even_for_array(PyTuple_GET_ITEM(call.args.get(), 0)))
    return wrong_arguments(x, row.name);
  const Ref result = quietly([&] {
    return host::call(host::checked, PyObject_Call, function, call.args.get(), call.keywords.get());
  });
  return result ? keep_result(x, row.name, result, call, out) : wrong_arguments(x, row.name);
}

// How many arguments a ufunc takes; those behind them receive the result.
size_t inputs_of(PyObject* ufunc) {
  const Ref count = Ref::steal(host::call(host::of_static, PyObject_GetAttrString, ufunc, "nin"));
  if (!count) PyErr_Clear();
  return count ? static_cast<size_t>(PyLong_AsLong(count.get())) : 0;
}

template <size_t kAt>
bool model_method(Executor& x, Args args, PyObject* names, SymRef* out) {
  return call_array_method(x, kArrayMethods[kAt].name, args, names, out);
}

template <size_t... kAt>
constexpr std::array<ModelRow, sizeof...(kAt)> method_models(std::index_sequence<kAt...>) {
  return {{{kArrayMethods[kAt].name, model_method<kAt>}...}};
}
const auto kMethodModels = method_models(std::make_index_sequence<std::size(kArrayMethods)>());

}  // namespace

PyObject* of_numpy(const char* name) {
  PyObject* const module = loaded_module("numpy");
  return module ? host::find_name(PyModule_GetDict(module), name) : nullptr;
}

bool is_of_numpy(PyObject* function) {
  if (!PyCFunction_Check(function) && !PyFunction_Check(function))
    return true;  // found by its type
  const Ref home =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString, function, "__module__"));
  const char* text = home && PyUnicode_Check(home.get()) ? utf8_text(home.get()) : nullptr;
  PyErr_Clear();
  return text && std::strncmp(text, "numpy", 5) == 0;
}

bool is_array(const SymRef& value) { return value->kind == SymKind::kArray; }

bool has_array(const std::vector<SymRef>& args) {
  std::vector<SymRef> found;
  for (const SymRef& arg : args) add_arrays(arg, &found);
  return !found.empty();
}

Ref dtype_argument(Executor& x, const SymRef& value) {
  if (!x.look(value) || value->kind != SymKind::kConst) return {};
  PyObject* const o = value->object.get();
  const bool number = o == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
                      o == reinterpret_cast<PyObject*>(&PyLong_Type) ||
                      o == reinterpret_cast<PyObject*>(&PyBool_Type);
  const bool known =
      number || is_numpy_scalar_type(o) || (PyUnicode_CheckExact(o) && is_known_text(o));
  return known ? value->object : Ref();
}

Ref known_value(Executor& x, const SymRef& value, int depth) {
  if (is_array(value)) return value->object;
  if (is_unknown(*value) || !x.heap().realize(value)) return {};
  if (is_numpy_scalar(value)) return value->object;
  if (value->kind == SymKind::kList || value->kind == SymKind::kTuple)
    return value->cls ? Ref() : known_items(x, value, depth);
  if (value->kind != SymKind::kConst && value->kind != SymKind::kSlice) return {};
  if (Ref known = to_python(x, value))
    return PyUnicode_Check(known.get()) && !is_known_text(known.get()) ? Ref() : known;
  return dtype_argument(x, value);
}

Ref quietly(const std::function<PyObject*()>& compute) {
  static PyObject* const set_errors = [] {
    PyObject* const found = of_numpy("seterr");
    return found && is_of_numpy(found) ? Ref::share(found).release() : nullptr;
  }();
  const Ref none = allocated(Ref::steal(PyTuple_New(0)));
  const Ref strict = allocated(Ref::steal(Py_BuildValue("{ss}", "all", "raise")));
  if (!set_errors) return {};
  const Ref before =
      Ref::steal(host::call(host::checked, PyObject_Call, set_errors, none.get(), strict.get()));
  if (!before) return PyErr_Clear(), Ref();
  Ref result = Ref::steal(compute());
  PyErr_Clear();
  const Ref restored =
      Ref::steal(host::call(host::checked, PyObject_Call, set_errors, none.get(), before.get()));
  PyErr_Clear();
  return restored ? std::move(result) : Ref();
}

bool call_known(Executor& x, const char* name, PyObject* function, Args args, PyObject* names,
                SymRef* out) {
  const bool ufunc = name_of_ufunc(function);
  const ArrayRow given{name, ufunc ? inputs_of(function) : 0};
  const ArrayRow* const row = ufunc ? &given : find_row(kArrayFunctions, name);
  // mean(losses) would be captured for each loss again. Arrays are made of settings, mostly.
  const bool makes = row && (row->arrays == 0 || std::strstr(name, "space"));
  if (!makes && !has_array(args) && has_float_of_program(args)) return wrong_arguments(x, name);
  return row ? call_row(x, *row, function, args, names, out) : wrong_arguments(x, name);
}

std::span<const char* const> array_functions() {
  static const auto names = [] {
    std::array<const char*, std::size(kArrayFunctions)> made{};
    for (size_t i = 0; i < made.size(); ++i) made[i] = kArrayFunctions[i].name;
    return made;
  }();
  return names;
}

const char* name_of_ufunc(PyObject* ufunc) {
  PyObject* const type = of_numpy("ufunc");
  if (!type || reinterpret_cast<PyObject*>(Py_TYPE(ufunc)) != type) return nullptr;
  const Ref title =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString, ufunc, "__name__"));
  PyErr_Clear();
  PyObject* const named =
      title && PyUnicode_CheckExact(title.get()) ? of_numpy(utf8_text(title.get())) : nullptr;
  if (named != ufunc) return nullptr;
  static std::unordered_set<std::string> names;  // a ufunc makes the text of its name anew
  return names.emplace(utf8_text(title.get())).first->c_str();
}

std::span<const ModelRow> array_methods() { return kMethodModels; }

bool call_array_method(Executor& x, const char* method, Args args, PyObject* names, SymRef* out) {
  const ArrayRow* row = find_row(kArrayMethods, method);
  if (!row) row = find_row(kArrayOperators, method);
  const Ref function = Ref::steal(host::call(host::of_static, PyObject_GetAttrString,
                                             reinterpret_cast<PyObject*>(ndarray_type()), method));
  if (!row || !function) return PyErr_Clear(), wrong_arguments(x, method);
  return call_row(x, *row, function.get(), args, names, out);
}

}  // namespace msjit
