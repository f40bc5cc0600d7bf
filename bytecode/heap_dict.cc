// Dictionaries: keys and values are looked up one by one, each under a guard.
#include "bytecode/heap.h"

#include <fmt/core.h>

#include "bytecode/library.h"
#include "bytecode/table_objects.h"
#include "guards/py/host_call.h"
#include "guards/py/tables.h"

namespace msjit {
bool is_plain_key(const SymRef& key) {
  if (key->kind == SymKind::kObject) return key->pinned;
  return key->kind == SymKind::kConst &&
         (is_key_value(key->object.get()) || is_single(key->object.get()));
}

bool Heap::pin_key(const SymRef& key) {
  if (!realize(key)) return false;
  if (key->kind == SymKind::kTuple && !key->cls) {
    for (const SymRef& item : key->items)
      if (!realize(item)) return false;
    Ref tuple = key->object ? key->object : constant_object(key);
    if (!tuple || !constant_object(key) || !is_key_value(tuple.get())) return false;
    key->kind = SymKind::kConst;  // it stays the one SymValue of this object
    key->object = std::move(tuple);
  }
  if (key->kind == SymKind::kObject && !key->pinned && key->object && key->source != kNoSource &&
      lasts(key) && is_single(key->object.get())) {
    guard_identity(key);
    key->pinned = true;
  }
  return is_plain_key(key);
}

bool same_key(const SymRef& a, const SymRef& b) {
  if (a->object == b->object) return true;
  return host::equal_values(a->object.get(), b->object.get());
}

// A dict whose keys compare by Python code is not looked into, now or in later checks.
bool Heap::guard_keys_plain(SourceId id, PyObject* dict, bool of_instance) {
  if (dict && !has_plain_keys(dict)) {
    error = fmt::format("{} with keys that compare by Python code",
                        of_instance ? "instance dictionary" : "dict");
    return false;
  }
  guards_.add(guard::plain_keys, id, {.number = of_instance});
  return true;
}

// Reads the default_factory of a defaultdict.
bool Heap::read_factory(const SymRef& dict) {
  static PyObject* const name = special_name("default_factory");
  PyObject* descriptor = host::find_on_class(default_dict_type(), name);
  error = "a defaultdict";
  if (!descriptor || !is_object_member(default_dict_type(), descriptor)) return false;
  SymRef factory = member(dict, descriptor);
  dict->attributes.clear();
  if (!factory) return false;
  dict->items = {std::move(factory)};
  return true;
}

bool Heap::read_dict(const SymRef& value) {
  PyObject* const object = value->object.get();
  PyTypeObject* const type = Py_TYPE(object);
  guard_exact_type(value);
  if (type != &PyDict_Type) value->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  if (type == default_dict_type() && !read_factory(value)) return false;
  if (!guard_keys_plain(value->source, object, false)) return false;
  bool known_otherwise = owned_dicts_.count(object) != 0;
  for (const GlobalWrite& write : global_writes_) known_otherwise |= write.globals == object;
  if (known_otherwise) {
    error = "a dict of globals or of an instance";
    return false;
  }
  value->kind = SymKind::kDict;
  value->keys_known = false;
  return true;
}

SymRef Heap::dict_get(const SymRef& dict, const SymRef& key) {
  for (const auto& [known, item] : dict->entries)
    if (same_key(known, key)) return item;
  if (dict->keys_known) return nullptr;
  const Py_hash_t hash = host::call(host::checked, PyObject_Hash, key->object.get());
  PyObject* object = host::call(host::checked, _PyDict_GetItem_KnownHash, dict->object.get(),
                                key->object.get(), hash);
  if (!object) {
    guards_.add(guard::missing, dict->source,
                {.version = 1, .number = hash, .object = key->object});
    return nullptr;
  }
  const std::string text =
      fmt::format("{}[{}]", guards_.source(dict->source).text, host::text_of(key->object.get()));
  const SourceId id = guards_.add_source(load::dict_item, dict->source, 0, key->object, text);
  SymRef item = from_source(id, object);
  dict->entries.emplace_back(key, item);
  return item;
}

bool Heap::dict_all(const SymRef& dict) {
  if (dict->keys_known) return true;
  PyObject* object = dict->object.get();
  if (PyDict_GET_SIZE(object) > kMaxItems) {
    error = "large dict";
    return false;
  }
  std::vector<std::pair<SymRef, SymRef>> ordered;
  const Ref keys = table_keys(object);
  error = "a dict without an order";
  if (!keys) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys.get()); ++i) {
    PyObject* key = PyTuple_GET_ITEM(keys.get(), i);
    SymRef symbol = make_const(Ref::share(key));
    if (!is_plain_key(symbol)) symbol = from_constant(Ref::share(key), host::text_of(key));
    if (!pin_key(symbol)) {
      error = fmt::format("dict with {} keys", Py_TYPE(key)->tp_name);
      return false;
    }
    ordered.emplace_back(symbol, dict_get(dict, symbol));
  }
  const Ref held = Ref::steal(PyTuple_New(PyTuple_GET_SIZE(keys.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys.get()); ++i) {
    Ref key = held ? hold_loosely(PyTuple_GET_ITEM(keys.get(), i)) : Ref();
    if (!key) return PyErr_Clear(), false;
    PyTuple_SET_ITEM(held.get(), i, key.release());
  }
  guards_.add(guard::keys, dict->source, {.object = held});
  dict->entries = std::move(ordered);
  dict->keys_known = true;
  return true;
}

SymRef Heap::table_of(const SymRef& object) {
  if (!object->items.empty()) return object->items[0];
  PyObject* const real = object->object.get();
  error = fmt::format("the items of a {}", Py_TYPE(real)->tp_name);
  const Ref keys = PyDict_GET_SIZE(real) <= kMaxItems ? table_keys(real) : Ref();
  for (Py_ssize_t i = 0; keys && i < PyTuple_GET_SIZE(keys.get()); ++i)
    if (PyObject* key = PyTuple_GET_ITEM(keys.get(), i);
        !PyUnicode_CheckExact(key) && !PyLong_CheckExact(key))
      return nullptr;
  if (!keys) return nullptr;
  guards_.add(guard::keys, object->source, {.object = keys});
  SymRef table = new_table(Py_TYPE(real));
  table->source = object->source;
  table->object = object->object;
  table->keys_known = false;  // until all are read
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys.get()); ++i)
    dict_get(table, make_const(Ref::share(PyTuple_GET_ITEM(keys.get(), i))));
  table->keys_known = true;
  object->items = {table};
  return table;
}

void Heap::dict_set(const SymRef& dict, const SymRef& key, const SymRef& value) {
  dict->changed = true;
  for (auto& [known, item] : dict->entries) {
    if (same_key(known, key)) {
      item = value;
      return;
    }
  }
  dict->entries.emplace_back(key, value);
}

SymRef Heap::dict_remove(const SymRef& dict, const SymRef& key) {
  auto& entries = dict->entries;
  for (auto it = entries.begin(); it != entries.end(); ++it) {
    if (!same_key(it->first, key)) continue;
    SymRef item = it->second;
    entries.erase(it);
    note_change(dict);
    ++dict->removals;
    return item;
  }
  return nullptr;
}

}  // namespace msjit
