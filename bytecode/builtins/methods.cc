// Models of methods of lists, dicts and strings; args[0] is self. To add one: write it, add its
// row.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "bytecode/exec.h"

namespace msjit {

BuiltinModel find_tensor_method(const char* name);  // builtins/tensor.cc

namespace {

using Args = const std::vector<SymRef>&;

bool wrong(Executor& x, const char* name) {
  return x.fail(BreakReason::kCallUnknown, fmt::format("{} with these arguments", name));
}

void changed(const SymRef& self) { self->changed = self->source != kNoSource; }
SymRef none() { return make_const(Ref::none()); }

bool list_append(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 2) return wrong(x, "list.append");
  args[0]->items.push_back(args[1]);
  changed(args[0]);
  *out = none();
  return true;
}

bool list_extend(Executor& x, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  if (names || args.size() != 2) return wrong(x, "list.extend");
  if (!x.unpack(args[1], &items)) return false;
  args[0]->items.insert(args[0]->items.end(), items.begin(), items.end());
  changed(args[0]);
  *out = none();
  return true;
}

bool list_pop(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() > 2) return wrong(x, "list.pop");
  auto& items = args[0]->items;
  int64_t index = -1;
  if (args.size() == 2) {
    if (!x.look(args[1]) || args[1]->kind != SymKind::kConst ||
        !PyLong_CheckExact(args[1]->object.get()))
      return wrong(x, "list.pop");
    index = PyLong_AsLongLong(args[1]->object.get());
    PyErr_Clear();
  }
  if (index < 0) index += static_cast<int64_t>(items.size());
  if (index < 0 || index >= static_cast<int64_t>(items.size()))
    return x.fail(BreakReason::kRaises, "list.pop");
  *out = items[index];
  items.erase(items.begin() + index);
  changed(args[0]);
  return true;
}

bool list_insert(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 3 || !x.look(args[1]) || args[1]->kind != SymKind::kConst ||
      !PyLong_CheckExact(args[1]->object.get()))
    return wrong(x, "list.insert");
  auto& items = args[0]->items;
  const int64_t size = static_cast<int64_t>(items.size());
  int64_t index = PyLong_AsLongLong(args[1]->object.get());
  PyErr_Clear();
  if (index < 0) index = std::max<int64_t>(0, index + size);
  items.insert(items.begin() + std::min(index, size), args[2]);
  changed(args[0]);
  *out = none();
  return true;
}

bool list_reverse(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return wrong(x, "list.reverse");
  std::reverse(args[0]->items.begin(), args[0]->items.end());
  changed(args[0]);
  *out = none();
  return true;
}

bool list_clear(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return wrong(x, "list.clear");
  args[0]->items.clear();
  changed(args[0]);
  *out = none();
  return true;
}

bool list_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() != 1) return wrong(x, "list.copy");
  *out = make_items(SymKind::kList, args[0]->items);
  return true;
}

bool complete(Executor& x, const SymRef& dict) {
  return x.heap().dict_all(dict) || x.fail(BreakReason::kObjectType, x.heap().error);
}

bool view(Executor& x, Args args, const char* method, SymRef* out) {
  if (args.size() != 1) return wrong(x, method);
  *out = x.new_iterator(IterKind::kDictView, {args[0]});
  (*out)->iterator->object = Ref::steal(PyUnicode_InternFromString(method));
  return true;
}
bool dict_keys(Executor& x, Args args, PyObject*, SymRef* out) {
  return view(x, args, "keys", out);
}
bool dict_values(Executor& x, Args args, PyObject*, SymRef* out) {
  return view(x, args, "values", out);
}
bool dict_items(Executor& x, Args args, PyObject*, SymRef* out) {
  return view(x, args, "items", out);
}

bool dict_get(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() < 2 || args.size() > 3 || !x.look(args[1]) || !is_plain_key(args[1]))
    return wrong(x, "dict.get");
  *out = x.heap().dict_get(args[0], args[1]);
  if (!*out) *out = args.size() == 3 ? args[2] : none();
  return true;
}

bool dict_pop(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (names || args.size() < 2 || args.size() > 3 || !x.look(args[1]) || !is_plain_key(args[1]))
    return wrong(x, "dict.pop");
  if (!complete(x, args[0])) return false;
  *out = x.heap().dict_remove(args[0], args[1]);
  if (!*out && args.size() == 3) *out = args[2];
  return *out || x.fail(BreakReason::kRaises, "dict.pop");
}

bool dict_update(Executor& x, Args args, PyObject* names, SymRef* out) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t positional = args.size() - keywords;
  if (positional > 2 || !complete(x, args[0]))
    return positional > 2 ? wrong(x, "dict.update") : false;
  if (positional == 2) {
    if (!x.look(args[1])) return false;
    if (args[1]->kind != SymKind::kDict) return wrong(x, "dict.update");
    if (!complete(x, args[1])) return false;
    for (const auto& [key, value] : std::vector(args[1]->entries))
      x.heap().dict_set(args[0], key, value);
  }
  for (size_t k = 0; k < keywords; ++k)
    x.heap().dict_set(args[0],
                      make_const(Ref::share(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k)))),
                      args[positional + k]);
  changed(args[0]);
  *out = none();
  return true;
}

// Methods of constant strings and ints with constant arguments are called while capturing.
template <int kIndex>
struct Named {
  static const char* const name;
  static bool model(Executor& x, Args args, PyObject* names, SymRef* out) {
    if (names) return wrong(x, name);
    Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(args.size()) - 1));
    for (size_t i = 1; i < args.size(); ++i) {
      Ref constant = x.look(args[i]) ? constant_object(args[i]) : Ref();
      if (!constant) return wrong(x, name);
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i) - 1, constant.release());
    }
    Ref method = Ref::steal(PyObject_GetAttrString(args[0]->object.get(), name));
    PyObject* result = method ? PyObject_Call(method.get(), tuple.get(), nullptr) : nullptr;
    if (!result ||
        !(PyUnicode_CheckExact(result) || PyBool_Check(result) || PyLong_CheckExact(result))) {
      PyErr_Clear();
      Ref::steal(result).reset();
      return wrong(x, name);
    }
    *out = make_const(Ref::steal(result));
    return true;
  }
};
template <>
const char* const Named<0>::name = "startswith";
template <>
const char* const Named<1>::name = "endswith";
template <>
const char* const Named<2>::name = "lower";
template <>
const char* const Named<3>::name = "upper";
template <>
const char* const Named<4>::name = "replace";
template <>
const char* const Named<5>::name = "strip";
template <>
const char* const Named<6>::name = "bit_length";
template <>
const char* const Named<7>::name = "isdigit";

struct Row {
  SymKind kind;
  const char* name;
  BuiltinModel model;
};
const Row kMethods[] = {
    {SymKind::kList, "append", list_append},
    {SymKind::kList, "extend", list_extend},
    {SymKind::kList, "pop", list_pop},
    {SymKind::kList, "insert", list_insert},
    {SymKind::kList, "reverse", list_reverse},
    {SymKind::kList, "clear", list_clear},
    {SymKind::kList, "copy", list_copy},
    {SymKind::kDict, "keys", dict_keys},
    {SymKind::kDict, "values", dict_values},
    {SymKind::kDict, "items", dict_items},
    {SymKind::kDict, "get", dict_get},
    {SymKind::kDict, "pop", dict_pop},
    {SymKind::kDict, "update", dict_update},
    {SymKind::kConst, "startswith", Named<0>::model},
    {SymKind::kConst, "endswith", Named<1>::model},
    {SymKind::kConst, "lower", Named<2>::model},
    {SymKind::kConst, "upper", Named<3>::model},
    {SymKind::kConst, "replace", Named<4>::model},
    {SymKind::kConst, "strip", Named<5>::model},
    {SymKind::kConst, "bit_length", Named<6>::model},
    {SymKind::kConst, "isdigit", Named<7>::model},
};

}  // namespace

BuiltinModel find_method_model(const SymRef& self, const char* name) {
  if (self->is_tensor()) return find_tensor_method(name);
  if (self->kind == SymKind::kConst && !PyUnicode_CheckExact(self->object.get()) &&
      !PyLong_CheckExact(self->object.get()))
    return nullptr;
  for (const Row& row : kMethods)
    if (row.kind == self->kind && std::strcmp(row.name, name) == 0) return row.model;
  return nullptr;
}

}  // namespace msjit
