// The __dict__ of an instance: another way to reach its attributes, which stay in the kObject.
// Names that a data descriptor of the class hides are left to CPython.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/table_objects.h"
#include "guards/py/host_call.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

const SymRef& owner_of(const SymRef& vars) { return vars->items[0]; }

PyObject* on_class(const SymRef& owner, PyObject* name) {
  return host::find_on_class(type_of(*owner), name);
}
bool is_data(PyObject* found) { return found && Py_TYPE(found)->tp_descr_set; }

// The attribute name that a key is; null, with the region ended, for other keys.
PyObject* name_of(Executor& x, const SymRef& vars, const SymRef& key) {
  if (!x.look(key)) return nullptr;
  PyObject* name = key->kind == SymKind::kConst ? key->object.get() : nullptr;
  if (name && PyUnicode_CheckExact(name) && !is_data(on_class(owner_of(vars), name))) return name;
  x.fail(BreakReason::kAttribute, "__dict__[...]");
  return nullptr;
}

SymRef lookup(Executor& x, const SymRef& vars, PyObject* name) {
  SymRef value = x.heap().instance_attr(owner_of(vars), name);
  return value && value->is_null() ? nullptr : value;
}

}  // namespace

bool instance_vars(Executor& x, const SymRef& self, SymRef* out) {
  static PyObject* const name = special_name("__dict__");
  PyTypeObject* type = type_of(*self);
  PyObject* found = host::find_on_class(type, name);
  const bool plain = found && Py_TYPE(found) == &PyGetSetDescr_Type && type->tp_dictoffset != 0 &&
                     PyType_IsSubtype(type, PyDescr_TYPE(found)) &&
                     (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !is_exception_type(type);
  if (!plain || is_table_object(self) || is_list_object(self))  // its `items` hold others
    return x.fail(BreakReason::kAttribute, "__dict__");
  if (self->items.empty()) self->items = {make_items(SymKind::kVars, {self})};
  *out = self->items[0];
  return true;
}

void vars_resized(const SymRef& owner) {
  if (owner->items.empty()) return;
  const std::vector<SymRef>& parts = owner->items[0]->items;
  for (size_t i = 1; i < parts.size(); ++i) ++parts[i]->removals;
}

bool vars_get(Executor& x, const SymRef& vars, const SymRef& key, SymRef* out) {
  PyObject* name = name_of(x, vars, key);
  if (!name) return false;
  *out = lookup(x, vars, name);
  return true;
}

bool vars_set(Executor& x, const SymRef& vars, const SymRef& key, const SymRef& value) {
  PyObject* name = name_of(x, vars, key);
  return name && write_attribute(x, owner_of(vars), utf8_text(name), value);
}

bool vars_remove(Executor& x, const SymRef& vars, const SymRef& key, SymRef* out) {
  PyObject* name = name_of(x, vars, key);
  if (!name) return false;
  *out = lookup(x, vars, name);
  return !*out || write_attribute(x, owner_of(vars), utf8_text(name), null_sym());
}

bool vars_all(Executor& x, const SymRef& vars, SymRef* out) {
  const SymRef& owner = owner_of(vars);
  SymRef dict = make_sym(SymKind::kDict);
  if (owner->source != kNoSource) {
    PyObject* real = owner->object ? instance_dict(owner->object.get()) : nullptr;
    const Ref keys = real ? table_keys(real) : Ref();
    if (!keys) return x.fail(BreakReason::kAttribute, "__dict__");
    GuardBuilder& guards = x.heap().guards();
    const SourceId source =
        guards.add_source(load::instance_dict, owner->source, 0, {},
                          fmt::format("{}.__dict__", guards.source(owner->source).text));
    guards.add(guard::keys, source, {.object = keys});
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys.get()); ++i) {
      SymRef key = make_const(Ref::share(PyTuple_GET_ITEM(keys.get(), i)));
      PyObject* name = name_of(x, vars, key);
      if (!name) return false;
      if (SymRef value = lookup(x, vars, name)) dict->entries.emplace_back(key, std::move(value));
    }
  }
  for (const auto& [text, value] : owner->attributes) {
    SymRef key = make_const(interned_text(text));
    const bool hidden = value->is_null() || is_data(on_class(owner, key->object.get()));
    if (!hidden && !x.heap().dict_get(dict, key)) dict->entries.emplace_back(key, value);
  }
  vars->items.push_back(dict);
  *out = std::move(dict);
  return true;
}

namespace {

// A method that reads or copies all items works on a dict of the items as they are now.
template <int kName>
bool method_of_all(Executor& x, Args args, PyObject* names, SymRef* out) {
  constexpr const char* const methods[] = {"keys", "values", "items", "copy"};
  SymRef dict;
  if (!positional(x, methods[kName], args, names, 1, 1) || !vars_all(x, args[0], &dict))
    return false;
  return call_builtin_method(x, methods[kName], {dict}, nullptr, out);
}

bool method_get(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dict.get", args, names, 2, 3) || !vars_get(x, args[0], args[1], out))
    return false;
  if (!*out) *out = args.size() == 3 ? args[2] : sym_none();
  return true;
}

bool method_setdefault(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dict.setdefault", args, names, 2, 3) || !vars_get(x, args[0], args[1], out))
    return false;
  if (*out) return true;
  *out = args.size() == 3 ? args[2] : sym_none();
  return vars_set(x, args[0], args[1], *out);
}

bool method_pop(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "dict.pop", args, names, 2, 3) || !vars_remove(x, args[0], args[1], out))
    return false;
  if (!*out && args.size() == 3) *out = args[2];
  return *out || x.raise_new(PyExc_KeyError, {args[1]}, "dict.pop");
}

bool method_update(Executor& x, Args args, PyObject* names, SymRef* out) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  const size_t count = args.size() - keywords;
  SymRef dict = make_sym(SymKind::kDict);
  if (count > 2) return wrong_arguments(x, "dict.update");
  if (count == 2 && !dict_put_all(x, dict, args[1])) return false;
  for (size_t k = 0; k < keywords; ++k)
    x.heap().dict_set(dict,
                      make_const(Ref::share(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k)))),
                      args[count + k]);
  for (const auto& [key, value] : dict->entries)
    if (!vars_set(x, args[0], key, value)) return false;
  *out = sym_none();
  return true;
}

const ModelRow kVars[] = {
    {"keys", method_of_all<0>},  {"values", method_of_all<1>},
    {"items", method_of_all<2>}, {"copy", method_of_all<3>},
    {"get", method_get},         {"pop", method_pop},
    {"update", method_update},   {"setdefault", method_setdefault},
};

bool model_vars(Executor& x, Args args, PyObject* names, SymRef* out) {
  static PyObject* const name = special_name("__dict__");
  if (!positional(x, "vars", args, names, 1, 1)) return false;
  return x.get_attr(args[0], name, out);
}

const ModelRow kModels[] = {{"vars", model_vars}};

}  // namespace

const ModelTable models_vars = {"builtins", kModels, {}};

std::span<const ModelRow> vars_methods() { return kVars; }

}  // namespace msjit
