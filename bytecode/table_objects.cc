// Instances of classes derived from dict or OrderedDict. Each is a kObject with attributes, whose
// items are a kDict inside it. Methods inherited from the base work on that kDict. Methods defined
// in Python are inlined like others.
#include "bytecode/table_objects.h"

#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/library.h"
#include "bytecode/list_objects.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

bool is_ordered(const SymRef& self) { return PyType_IsSubtype(type_of(*self), &PyODict_Type); }

bool overrides(const SymRef& self, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (PyObject* found = find_special(self, name); found && PyFunction_Check(found)) return true;
  return false;
}

// Whether OrderedDict's own methods would call methods that a derived class overrides.
bool is_redirected(const SymRef& self) {
  return is_ordered(self) &&
         overrides(self, {"__getitem__", "__setitem__", "__delitem__", "__contains__"});
}

SymRef boolean(bool value) { return make_const(Ref::share(value ? Py_True : Py_False)); }

// A call of a method: the instance, and its items.
struct TableCall {
  Executor& x;
  const SymRef& self;
  const SymRef& table;
  const char* name;

  bool refuse() const {
    return x.fail(BreakReason::kCallUnknown, fmt::format("{}.{}", describe(*self), name));
  }
  bool pin(const SymRef& key) const {
    if (!x.look(key)) return false;
    return x.heap().pin_key(key) || x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
  }
};

bool get_item(const TableCall& call, const SymRef& key, SymRef* out) {
  Executor& x = call.x;
  const SymRef plain = x.look(key) ? plain_value(x, key) : nullptr;
  if (!plain || !call.pin(plain)) return false;
  *out = x.heap().dict_get(call.table, plain);
  if (*out) return true;
  if (find_special(call.self, "__missing__"))
    return call_special(x, call.self, "__missing__", {key}, out);
  return x.raise_new(PyExc_KeyError, {key}, "dict lookup");
}

bool put_item(const TableCall& call, const SymRef& key, const SymRef& value) {
  if (!call.pin(key)) return false;
  call.x.heap().dict_set(call.table, key, value);
  return true;
}

bool delete_item(const TableCall& call, const SymRef& key) {
  if (!call.pin(key)) return false;
  return call.x.heap().dict_remove(call.table, key) ||
         call.x.raise_new(PyExc_KeyError, {key}, "dict lookup");
}

// update() and __init__(). Those of OrderedDict store through the __setitem__ of the class.
bool update(const TableCall& call, std::vector<SymRef> args, PyObject* names, SymRef* out) {
  Executor& x = call.x;
  const BuiltinModel model = find_method_model(call.table, "update");
  const bool stores = is_ordered(call.self) && overrides(call.self, {"__setitem__"});
  if (!stores) {
    args[0] = call.table;
    return model(x, args, names, out);
  }
  if (names && args.size() != 1 + static_cast<size_t>(PyTuple_GET_SIZE(names)))
    return call.refuse();  // a key that is given twice is stored twice
  args[0] = make_sym(SymKind::kDict);
  if (!model(x, args, names, out)) return false;
  SymRef ignored;
  const auto entries = args[0]->entries;
  for (const auto& [key, value] : entries)
    if (!call_special(x, call.self, "__setitem__", {key, value}, &ignored)) return false;
  return true;
}

// Special methods of the base; `known` is false for all other names.
bool special_method(const TableCall& call, const std::vector<SymRef>& args, SymRef* out,
                    bool* known) {
  const std::string_view name(call.name);
  const size_t count = args.size() - 1;
  *out = make_const(Ref::none());
  *known = true;
  if (name == "__getitem__" && count == 1) return get_item(call, args[1], out);
  if (name == "__setitem__" && count == 2) return put_item(call, args[1], args[2]);
  if (name == "__delitem__" && count == 1) return delete_item(call, args[1]);
  if (name == "__iter__" && count == 0)
    return call.x.dict_iterator(call.table, interned_text("keys"), out);
  if (name == "__len__" && count == 0)
    return *out = sym_int(static_cast<int64_t>(call.table->entries.size())), true;
  if (name == "__contains__" && count == 1) {
    if (!call.pin(args[1])) return false;
    return *out = boolean(call.x.heap().dict_get(call.table, args[1]) != nullptr), true;
  }
  *known = false;
  return true;
}

bool is_one_of(const char* name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [name](const char* other) { return std::strcmp(name, other) == 0; });
}

SymRef table_of(Executor& x, const SymRef& self) {
  SymRef table = x.heap().table_of(self);
  if (!table) x.fail(BreakReason::kObjectType, x.heap().error);
  return table;
}

}  // namespace

bool is_container_base(PyTypeObject* type) {
  return type == &PyDict_Type || type == &PyODict_Type || type == &PyList_Type;
}

bool is_container_method(PyTypeObject* type, PyObject* found) {
  return found &&
         (Py_TYPE(found) == &PyMethodDescr_Type || Py_TYPE(found) == &PyWrapperDescr_Type) &&
         is_container_base(PyDescr_TYPE(found)) && PyType_IsSubtype(type, PyDescr_TYPE(found));
}

SymRef new_table(PyTypeObject* type) {
  SymRef table = make_sym(SymKind::kDict);
  table->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  return table;
}

SymRef new_contents(PyTypeObject* type) {
  return PyType_IsSubtype(type, &PyList_Type) ? new_list(type) : new_table(type);
}

namespace {

bool call_on_table(const TableCall& call, std::vector<SymRef> args, PyObject* names, SymRef* out) {
  Executor& x = call.x;
  const char* const name = call.name;
  bool known = false;
  if (is_one_of(name, {"__init__", "update"})) {
    if (!update(call, std::move(args), names, out)) return false;
    return *out = make_const(Ref::none()), true;
  }
  if (!names && !special_method(call, args, out, &known)) return false;
  if (known) return true;
  const bool changes = is_one_of(name, {"pop", "popitem", "setdefault", "clear", "move_to_end"});
  if (!changes && !is_one_of(name, {"get", "keys", "values", "items"})) return call.refuse();
  if (changes && is_redirected(call.self)) return call.refuse();
  const BuiltinModel model = find_method_model(call.table, name);
  if (!model) return call.refuse();
  args[0] = call.table;
  return model(x, args, names, out);
}

}  // namespace

bool call_container_method(Executor& x, const char* name, std::vector<SymRef> args, PyObject* names,
                           SymRef* out) {
  const SymRef self = args[0];
  if (is_list_object(self)) return call_list_method(x, name, std::move(args), names, out);
  const SymRef table = table_of(x, self);
  if (!table || !call_on_table({x, self, table, name}, std::move(args), names, out)) return false;
  if (table->source != kNoSource && table->changed) self->changed = true;  // replays its table
  return true;
}

bool as_dict(Executor& x, SymRef* mapping) {
  if (!x.look(*mapping)) return false;
  while ((*mapping)->kind == SymKind::kMappingProxy) {
    *mapping = SymRef((*mapping)->items[0]);
    if (!x.look(*mapping)) return false;
  }
  if ((*mapping)->kind == SymKind::kVars) return vars_all(x, SymRef(*mapping), mapping);
  if ((*mapping)->kind != SymKind::kObject || !is_table_object(*mapping)) return true;
  // dict() copies the items directly, bypassing methods, if the class iterates as dict does.
  if (is_ordered(*mapping) ? overrides(*mapping, {"keys", "__iter__", "__getitem__"})
                           : overrides(*mapping, {"__iter__"}))
    return true;
  SymRef table = table_of(x, *mapping);
  if (!table) return false;
  *mapping = std::move(table);
  return true;
}

namespace {

// Whether an instance's class is derived from the dicts, or from list.
bool derives_from(const SymRef& value, bool list) {
  PyTypeObject* type = value->kind == SymKind::kObject ? type_of(*value) : nullptr;
  while (type && type->tp_flags & Py_TPFLAGS_HEAPTYPE) type = type->tp_base;
  return type && is_container_base(type) && (type == &PyList_Type) == list;
}

}  // namespace

bool is_table_object(const SymRef& value) { return derives_from(value, false); }
bool is_list_object(const SymRef& value) { return derives_from(value, true); }

}  // namespace msjit
