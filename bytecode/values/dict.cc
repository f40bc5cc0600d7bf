// Dicts, and instances of OrderedDict, defaultdict and Counter (by their `cls`).
#include "bytecode/builtins/models.h"
#include "bytecode/control.h"
#include "bytecode/exit.h"
#include "bytecode/library.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/last_reference.h"
#include "guards/py/host_call.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

std::string dict_describe(const SymValue& value) {
  return value.cls ? type_of(value)->tp_name : "dict";
}
PyTypeObject* dict_type(const SymValue&) { return &PyDict_Type; }

bool read_all(Executor& x, const SymRef& dict) {
  return x.heap().dict_all(dict) || x.fail(BreakReason::kObjectType, x.heap().error);
}

bool dict_length(Executor& x, const SymRef& value, SymRef* out) {
  if (!read_all(x, value)) return false;
  return *out = sym_int(static_cast<int64_t>(value->entries.size())), true;
}

bool dict_takes(PyObject* object) { return is_table(object); }
bool dict_read(Heap& heap, const SymRef& value) { return heap.read_dict(value); }

bool dict_truth(Executor& x, const SymRef& value, bool* out) {
  return read_all(x, value) && (*out = !value->entries.empty(), true);
}

bool dict_iterate(Executor& x, const SymRef& value, SymRef* out) {
  return x.dict_iterator(value, interned_text("keys"), out);
}

bool dict_contains(Executor& x, const SymRef& dict, const SymRef& item, bool* out) {
  if (!x.heap().pin_key(item))
    return x.fail(BreakReason::kUnsupported, "'in' on " + describe(*dict));
  return *out = x.heap().dict_get(dict, item) != nullptr, true;
}

// A defaultdict makes a missing item.
bool missing_item(Executor& x, const SymRef& dict, const SymRef& key, SymRef* out) {
  const SymRef factory = dict->items[0];
  if (!x.look(factory)) return false;
  if (factory->is_const(Py_None)) return x.raise_new(PyExc_KeyError, {key}, "dict lookup");
  if (!read_all(x, dict) || !x.call(factory, {}, nullptr, out)) return false;
  x.heap().dict_set(dict, key, *out);
  note_change(dict);
  return true;
}

bool unknown_key(Executor& x, const SymRef& key) {
  return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
}

bool dict_subscript(Executor& x, const SymRef& dict, const SymRef& key, SymRef* out) {
  if (!x.look_fixed(key)) return false;
  const SymRef plain = plain_value(x, key);
  if (!x.heap().pin_key(plain)) return unknown_key(x, key);
  if ((*out = x.heap().dict_get(dict, plain))) return true;
  if (dict->items.empty()) return x.raise_new(PyExc_KeyError, {key}, "dict lookup");
  return x.heap().pin_key(key) ? missing_item(x, dict, key, out) : unknown_key(x, key);
}

bool dict_set_item(Executor& x, const SymRef& dict, const SymRef& key, const SymRef& value) {
  if (!x.heap().pin_key(key))
    return x.fail(BreakReason::kMutation, "an item of " + describe(*dict));
  if (!read_all(x, dict)) return false;
  if (!value)
    return x.heap().dict_remove(dict, key) || x.raise_new(PyExc_KeyError, {key}, "dict lookup");
  x.heap().dict_set(dict, key, value);
  note_change(dict);
  return true;
}

BuiltinModel dict_method(const SymRef& self, const char* name) {
  if (PyType_IsSubtype(type_of(*self), &PyODict_Type))
    if (BuiltinModel own = find_row(ordered_dict_methods(), name)) return own;
  return find_row(dict_methods(), name);
}

Ref dict_to_python(Executor& x, const SymRef& value, int depth) {
  if (!x.heap().dict_all(value)) return {};
  Ref made;
  if (!value->cls)
    made = Ref::steal(PyDict_New());
  else if (value->items.empty())  // the repr() of a defaultdict would show its factory
    made = Ref::steal(host::call(host::checked, PyObject_CallObject, value->cls.get(), nullptr));
  if (!made) return {};
  for (const auto& [key, item] : value->entries) {
    Ref k = to_python(x, key, depth + 1), v = to_python(x, item, depth + 1);
    if (!k || !v || host::call(host::checked, PyObject_SetItem, made.get(), k.get(), v.get()) < 0)
      return {};
  }
  return made;
}

SymRef dict_join(Joiner& joiner, const SymRef& a, const SymRef& b) {
  if (a->cls || a->entries.size() != b->entries.size()) return nullptr;
  SymRef value = make_sym(SymKind::kDict);
  for (size_t i = 0; i < a->entries.size(); ++i) {
    SymRef key = joiner.join(a->entries[i].first, true, b->entries[i].first, true);
    SymRef item = joiner.join(a->entries[i].second, true, b->entries[i].second, true);
    if (!key || !item) return nullptr;
    value->entries.emplace_back(std::move(key), std::move(item));
  }
  return value;
}

Ref build_dict(const Recipe& recipe, const Objects& objects) {
  Ref made;
  if (!recipe.object)
    made = Ref::steal(PyDict_New());
  else
    made = Ref::steal(host::call(host::program, PyObject_CallFunctionObjArgs, recipe.object.get(),
                                 recipe.number ? argument(recipe, objects, 0) : nullptr, nullptr));
  for (size_t i = static_cast<size_t>(recipe.number); made && i < recipe.args.size(); i += 2)
    if (host::call(host::program, PyObject_SetItem, made.get(), objects[recipe.args[i]].get(),
                   objects[recipe.args[i + 1]].get()) < 0)
      return {};
  return made;
}

bool replace_entries(PyObject* dict, const Effect& effect, const Objects& objects) {
  if (PyList_Check(dict)) return effect_list_items.apply(dict, effect, objects);
  std::vector<PyObject*> items;
  for (int32_t value : effect.values) items.push_back(objects[value].get());
  return fill_table(dict, items.data(), static_cast<Py_ssize_t>(items.size()));
}

void drop_entries(PyObject* table, const Effect& effect, Departure* departure) {
  if (PyList_Check(table)) return effect_list_items.drops(table, effect, departure);
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(table, &at, &key, &value);) {
    departure->drop(key);
    departure->drop(value);
  }
}

int dict_rebuild(ExitBuilder& exit, const SymRef& value) {
  if (value->cls && !is_table_type(type_of(*value)))  // an instance's items, seen by a view
    return exit.fail(describe(*value));
  Recipe made = made_by(build_dict);
  made.object = value->cls;
  made.number = !value->items.empty();  // whether it has a default factory
  std::vector<SymRef> parts = value->items;
  const std::vector<SymRef> entries = flat_entries(*value);
  parts.insert(parts.end(), entries.begin(), entries.end());
  return exit.add(std::move(made), parts);
}

bool dict_replay(ExitBuilder& exit, const SymRef& value, int target) {
  return exit.write({&effect_dict_items, target, {}, {}}, flat_entries(*value));
}

}  // namespace

const EffectKind effect_dict_items = {
    .apply = replace_entries, .drops = drop_entries, .refills = true};

std::vector<SymRef> flat_entries(const SymValue& dict) {
  if (dict.kind == SymKind::kList) return dict.items;
  std::vector<SymRef> parts;
  for (const auto& [key, item] : dict.entries) parts.insert(parts.end(), {key, item});
  return parts;
}

const ValueKind value_dict = {.describe = dict_describe,
                              .type = dict_type,
                              .takes = dict_takes,
                              .read = dict_read,
                              .declined_by_tensors = true,
                              .matches_for_good = true,
                              .truth = dict_truth,
                              .length = dict_length,
                              .iterate = dict_iterate,
                              .contains = dict_contains,
                              .subscript = dict_subscript,
                              .set_item = dict_set_item,
                              .call = not_callable,
                              .method = dict_method,
                              .to_python = dict_to_python,
                              .join = dict_join,
                              .rebuild = dict_rebuild,
                              .replay = dict_replay};

}  // namespace msjit
