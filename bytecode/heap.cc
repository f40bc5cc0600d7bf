#include "bytecode/heap.h"

#include <fmt/core.h>

#include "bytecode/library.h"
#include "guards/py/compat.h"
#include "guards/py/objects.h"
#include "guards/py/set_table.h"
#include "guards/py/tables.h"

#include <structmember.h>

namespace msjit {
namespace {

constexpr Py_ssize_t kMaxItems = 4096;  // longer containers are not looked into

bool is_value_type(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) ||
         PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || PyRange_Check(o);
}

bool is_singleton(PyObject* o) {
  return o == Py_None || o == Py_True || o == Py_False || o == Py_Ellipsis ||
         o == Py_NotImplemented;
}

// Mutable objects whose aliasing matters.
bool is_mutable(PyObject* o) {
  return !is_singleton(o) && !is_value_type(o) && !PyTuple_Check(o) && !is_identity_constant(o) &&
         !is_tensor(o) && !PyMethod_Check(o) && !PySlice_Check(o);
}

// A lookup gives a class its version tag; false when CPython has run out of tags.
bool assign_version(PyTypeObject* type) {
  static PyObject* const probe = PyUnicode_InternFromString("__class__");
  _PyType_Lookup(type, probe);
  return compat::type_version(type) != 0;
}

std::string repr_text(PyObject* key) {
  Ref repr = Ref::steal(PyObject_Repr(key));
  const char* text = repr ? utf8_text(repr.get()) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

}  // namespace

namespace {

// Objects that are equal to nothing but themselves.
bool is_single(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (PyType_Check(o))
    return type->tp_richcompare == PyType_Type.tp_richcompare &&
           type->tp_hash == PyType_Type.tp_hash;
  if (PyFunction_Check(o)) return true;
  return type->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
         (type->tp_hash == PyBaseObject_Type.tp_hash || is_enum_type(type));
}

bool is_key_value(PyObject* o) {
  if (PyTuple_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
      if (!is_key_value(PyTuple_GET_ITEM(o, i))) return false;
    return true;
  }
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o) == PyFloat_AS_DOUBLE(o);
  return is_singleton(o) || PyUnicode_CheckExact(o) || PyLong_CheckExact(o) ||
         PyBytes_CheckExact(o);
}

}  // namespace

bool is_identity_constant(PyObject* o) {
  if (PyFunction_Check(o) || PyType_Check(o) || PyModule_Check(o)) return true;
  if (PyCFunction_Check(o)) {
    PyObject* self = PyCFunction_GET_SELF(o);
    return !self || PyModule_Check(self) || PyType_Check(self);
  }
  return Py_TYPE(o) == &PyMethodDescr_Type || Py_TYPE(o) == &PyWrapperDescr_Type ||
         Py_TYPE(o) == &PyGetSetDescr_Type || is_op(o) || Py_TYPE(o) == &g_dtype_type ||
         PyCode_Check(o) || Py_TYPE(o) == g_jit_callable.type;
}

bool is_object_member(PyObject* o) {
  if (Py_TYPE(o) != &PyMemberDescr_Type) return false;
  const int type = reinterpret_cast<PyMemberDescrObject*>(o)->d_member->type;
  return type == T_OBJECT || type == T_OBJECT_EX;
}

bool is_writable_member(PyObject* o) {
  return is_object_member(o) &&
         !(reinterpret_cast<PyMemberDescrObject*>(o)->d_member->flags & READONLY);
}

bool is_plain_key(const SymRef& key) {
  if (key->kind == SymKind::kObject) return key->pinned;
  return key->kind == SymKind::kConst &&
         (is_key_value(key->object.get()) || is_single(key->object.get()));
}

// Whether an object is likely to be the same in the next call: not one that is handed in.
bool Heap::lasts(const SymRef& value) const {
  const LoadKind kind = guards_.source(value->source).kind;
  return is_enum_type(Py_TYPE(value->object.get())) ||
         (kind != LoadKind::kLocal && kind != LoadKind::kStack);
}

bool Heap::pin(const SymRef& value) {
  PyObject* object = value->object.get();
  if (value->kind == SymKind::kConst) return is_singleton(object) || is_identity_constant(object);
  const bool weak = object && PyType_SUPPORTS_WEAKREFS(Py_TYPE(object));
  if (value->source == kNoSource || !weak || !lasts(value) ||
      (value->kind != SymKind::kObject && value->kind != SymKind::kTensor))
    return false;
  guard_identity(value);
  return true;
}

bool Heap::pin_key(const SymRef& key) {
  if (!realize(key)) return false;
  if (key->kind == SymKind::kTuple && !key->cls) {
    for (const SymRef& item : key->items)
      if (!realize(item)) return false;
    Ref tuple = key->object ? key->object : constant_object(key);
    if (!tuple || !constant_object(key) || !is_key_value(tuple.get())) return false;
    key->kind = SymKind::kConst;  // still the one value of its identity
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
  const int equal = PyObject_RichCompareBool(a->object.get(), b->object.get(), Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

SymRef Heap::from_source(SourceId id, PyObject* object) {
  if (auto it = by_source_.find(id); it != by_source_.end()) return it->second;
  if (is_mutable(object)) {
    if (auto it = by_object_.find(object); it != by_object_.end()) {
      guards_.add_guard({&msjit::guard_same, id, it->second->source, 0, 0, {}, nullptr});
      return by_source_[id] = it->second;
    }
  }
  SymRef sym = make_sym(SymKind::kLazy);
  sym->source = id;
  sym->object = Ref::share(object);
  if (is_mutable(object)) {
    by_object_[object] = sym;
    mutables_.push_back(sym);
  }
  return by_source_[id] = sym;
}

// Not being there is something that a capture relies on too.
SymRef Heap::unbound(LoadKind kind, int index, const std::string& name) {
  const SourceId id = guards_.add_source(kind, kNoSource, index, {}, "unbound " + name);
  guards_.add_guard({&msjit::guard_identity, id, kNoSource, 0, 0, Ref::none(), nullptr});
  return null_sym();
}

SymRef Heap::from_local(int slot, const std::string& name) {
  PyObject* object = slots_.locals[slot];
  if (!object) return unbound(LoadKind::kUnboundLocal, slot, name);
  return from_source(guards_.add_source(LoadKind::kLocal, kNoSource, slot, {}, name), object);
}

SymRef Heap::from_stack(int index) {
  PyObject* object = slots_.stack[index];
  if (!object) return unbound(LoadKind::kNullItem, index, fmt::format("<stack {}>", index));
  return from_source(
      guards_.add_source(LoadKind::kStack, kNoSource, index, {}, fmt::format("stack[{}]", index)),
      object);
}

SymRef Heap::from_constant(Ref object, const std::string& text) {
  PyObject* raw = object.get();
  const bool nameless = text.find('<') != std::string::npos;  // <lambda>, <locals>
  return from_source(guards_.add_source(LoadKind::kConst, kNoSource, 0, std::move(object),
                                        nameless ? fmt::format("function('{}')", text) : text),
                     raw);
}

// A dict whose keys compare by Python code is not looked into, here and at every later check.
bool Heap::guard_keys_plain(SourceId id, PyObject* dict, bool of_instance) {
  if (dict && !has_plain_keys(dict)) {
    error = fmt::format("{} with keys that compare by Python code",
                        of_instance ? "instance dictionary" : "dict");
    return false;
  }
  guards_.add_guard({&guard_plain_keys, id, kNoSource, of_instance, 0, {}, nullptr});
  return true;
}

const SymRef* Heap::written_global(PyObject* globals, PyObject* name) const {
  for (const GlobalWrite& write : global_writes_)
    if (write.globals == globals && PyUnicode_Compare(write.name.get(), name) == 0)
      return &write.value;
  return nullptr;
}

bool Heap::set_global(PyObject* globals, SourceId globals_source, PyObject* name, SymRef value) {
  if (!PyDict_CheckExact(globals) || !PyUnicode_CheckExact(name) || by_object_.count(globals))
    return false;
  note_effect();
  for (GlobalWrite& write : global_writes_) {
    if (write.globals != globals || PyUnicode_Compare(write.name.get(), name) != 0) continue;
    write.value = std::move(value);
    return true;
  }
  global_writes_.push_back({globals, globals_source, Ref::share(name), std::move(value)});
  return true;
}

// `globals_source` is none for the frame's own, as everywhere.
SymRef Heap::global(PyObject* globals, SourceId globals_source, PyObject* builtins,
                    PyObject* name) {
  if (const SymRef* written = written_global(globals, name)) return *written;
  const char* text = utf8_text(name);
  const Py_hash_t hash = PyObject_Hash(name);
  const bool own = globals_source == kNoSource;
  const SourceId table =
      own ? guards_.add_source(LoadKind::kGlobalsDict, kNoSource, 0, {}, "globals()")
          : globals_source;
  if (!guard_keys_plain(table, globals, false)) return nullptr;
  if (PyObject* object = _PyDict_GetItem_KnownHash(globals, name, hash)) {
    const SourceId id =
        own ? guards_.add_source(LoadKind::kGlobal, kNoSource, 0, Ref::share(name), text)
            : guards_.add_source(LoadKind::kDictItem, table, 0, Ref::share(name), text);
    return from_source(id, object);
  }
  if (own)
    guards_.add_guard(
        {&guard_global_missing, kNoSource, kNoSource, hash, 0, Ref::share(name), nullptr});
  else
    guards_.add_guard({&guard_missing, table, kNoSource, hash, 0, Ref::share(name), nullptr});
  return builtin(builtins, own && builtins == slots_.builtins, name);
}

SymRef Heap::builtin(PyObject* builtins, bool own, PyObject* name) {
  if (!PyDict_CheckExact(builtins)) return nullptr;
  const SourceId table =
      own ? guards_.add_source(LoadKind::kBuiltinsDict, kNoSource, 0, {}, "builtins")
          : guards_.add_source(LoadKind::kConst, kNoSource, 0, Ref::share(builtins), "builtins");
  if (!guard_keys_plain(table, builtins, false)) return nullptr;
  const char* text = utf8_text(name);
  PyObject* object = _PyDict_GetItem_KnownHash(builtins, name, PyObject_Hash(name));
  if (!object) return nullptr;
  const LoadKind kind = own ? LoadKind::kBuiltin : LoadKind::kDictItem;
  return from_source(guards_.add_source(kind, own ? kNoSource : table, 0, Ref::share(name), text),
                     object);
}

void Heap::guard_exact_type(const SymRef& value) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(value->object.get()));
  guards_.add_guard({&guard_type, value->source, kNoSource, 0, 0, Ref::share(type), nullptr});
}

void Heap::guard_identity(const SymRef& value) {
  if (guards_.source(value->source).kind == LoadKind::kConst) return;
  guards_.add_guard(
      {&msjit::guard_identity, value->source, kNoSource, 0, 0, value->object, nullptr});
}

bool Heap::realize_open(const SymRef& value) {
  if (value->kind == SymKind::kSize) return true;
  if (value->kind == SymKind::kLazy && sizes_->open()) {
    const std::string& path = guards_.source(value->source).text;
    if (sizes_->wants_int(path, value->object.get()) && sizes_->open_int(value, path)) {
      guards_.add_guard({&guard_int, value->source, kNoSource, 0, 0, {}, nullptr});
      return true;
    }
  }
  return realize(value);
}

Val Heap::scalar_input(const SymRef& size) {
  bool is_new = false;
  const Val value = sizes_->scalar(size, &is_new);
  if (is_new) {
    scalars_.push_back({static_cast<int32_t>(inputs_.size()), size->size});
    inputs_.push_back(kNoSource);
  }
  return value;
}

bool Heap::realize(const SymRef& value) {
  if (value->kind == SymKind::kSize) sizes_->specialise(*value);
  if (value->kind != SymKind::kLazy) return true;
  PyObject* object = value->object.get();
  if (is_singleton(object) || is_identity_constant(object)) {
    guard_identity(value);
    value->kind = SymKind::kConst;
    if (PyFunction_Check(object)) guard_function(value);
    return true;
  }
  if (is_value_type(object)) {
    if (guards_.source(value->source).kind != LoadKind::kConst)
      guards_.add_guard({&guard_equal, value->source, kNoSource, 0, 0, value->object, nullptr});
    value->kind = SymKind::kConst;
    return true;
  }
  if (is_tensor(object)) return realize_tensor(value);
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object) || is_table(object) ||
      PyMethod_Check(object) || PyCell_Check(object) || is_plain_tuple_type(Py_TYPE(object)))
    return realize_container(value, Py_TYPE(object));
  if (PySlice_Check(object)) return realize_slice(value);
  if (is_plain_set(object)) return realize_set(value);
  return realize_object(value);
}

bool Heap::realize_set(const SymRef& value) {
  PyObject* object = value->object.get();
  Ref items = PySet_GET_SIZE(object) > kMaxItems ? Ref() : Ref::steal(PySequence_List(object));
  error = "set with items that compare by Python code";
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); ++i)
    if (PyObject* item = PyList_GET_ITEM(items.get(), i); !is_key_value(item) && !is_single(item))
      return false;
  value->shadow = items ? clone_set(object) : Ref();
  Ref table = value->shadow ? clone_set(object) : Ref();
  Ref payload = table ? Ref::steal(PyTuple_Pack(1, table.get())) : Ref();
  if (!payload) return PyErr_Clear(), false;
  guards_.add_guard(
      {&guard_set_items, value->source, kNoSource, 0, 0, std::move(payload), nullptr});
  value->cls = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  value->kind = SymKind::kSet;
  return true;
}

// A slice cannot be changed; its bounds are looked at one by one, as 1, 1.0 and True are equal.
bool Heap::realize_slice(const SymRef& value) {
  guard_exact_type(value);
  auto* slice = reinterpret_cast<PySliceObject*>(value->object.get());
  const auto bound = [&](PyObject** at, const char* name) {
    value->items.push_back(part(value, at, name));
    return realize(value->items.back());
  };
  value->kind = SymKind::kSlice;
  return bound(&slice->start, "start") && bound(&slice->stop, "stop") &&
         bound(&slice->step, "step");
}

bool Heap::realize_tensor(const SymRef& value) {
  PyObject* object = value->object.get();
  const TensorImpl* impl = tensor_of(object).impl();
  value->tensor = sink_->input(impl->meta);
  Meta asked = impl->meta;
  sizes_->tensor_input(value->source, guards_.source(value->source).text, value->tensor.id(),
                       &asked.shape);
  const bool open = !(asked == impl->meta);
  GuardStep guard{open ? &guard_tensor_open : &guard_tensor,
                  value->source,
                  kNoSource,
                  0,
                  0,
                  Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(object))),
                  std::make_shared<const Meta>(asked)};
  guards_.add_guard(std::move(guard));
  value->kind = SymKind::kTensor;
  inputs_.push_back(value->source);
  return true;
}

// What a defaultdict makes of a missing key.
bool Heap::realize_factory(const SymRef& dict) {
  static PyObject* const name = PyUnicode_InternFromString("default_factory");
  PyObject* descriptor = _PyType_Lookup(default_dict_type(), name);
  error = "a defaultdict";
  if (!descriptor || !is_object_member(descriptor)) return false;
  SymRef factory = member(dict, descriptor);
  dict->attributes.clear();
  if (!factory) return false;
  dict->items = {std::move(factory)};
  return true;
}

bool Heap::realize_container(const SymRef& value, PyTypeObject* type) {
  PyObject* object = value->object.get();
  const SourceId id = value->source;
  const std::string text = guards_.source(id).text;
  const bool tuple = PyTuple_Check(object);
  if (tuple && type != &PyTuple_Type) {
    if (!realize_object(value)) return false;
    value->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  } else {
    guard_exact_type(value);
  }
  if (tuple || type == &PyList_Type) {
    const Py_ssize_t n = Py_SIZE(object);
    if (n > kMaxItems) {
      error = fmt::format("{} of {} items", type->tp_name, n);
      return false;
    }
    guards_.add_guard({&guard_length, id, kNoSource, n, 0, {}, nullptr});
    value->kind = tuple ? SymKind::kTuple : SymKind::kList;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = tuple ? PyTuple_GET_ITEM(object, i) : PyList_GET_ITEM(object, i);
      const LoadKind kind = tuple ? LoadKind::kTupleItem : LoadKind::kListItem;
      value->items.push_back(from_source(
          guards_.add_source(kind, id, static_cast<int>(i), {}, fmt::format("{}[{}]", text, i)),
          item));
    }
  } else if (is_table_type(type)) {
    if (type != &PyDict_Type) value->cls = Ref::share(reinterpret_cast<PyObject*>(type));
    if (type == default_dict_type() && !realize_factory(value)) return false;
    if (!guard_keys_plain(id, object, false)) return false;
    bool known_otherwise = owned_dicts_.count(object) != 0;
    for (const GlobalWrite& write : global_writes_) known_otherwise |= write.globals == object;
    if (known_otherwise) {
      error = "a dict of globals or of an instance";
      return false;
    }
    value->kind = SymKind::kDict;
    value->keys_known = false;
  } else if (type == &PyMethod_Type) {
    value->kind = SymKind::kMethod;
    const SourceId function =
        guards_.add_source(LoadKind::kMethodFunction, id, 0, {}, text + ".__func__");
    const SourceId self = guards_.add_source(LoadKind::kMethodSelf, id, 0, {}, text + ".__self__");
    value->items = {from_source(function, PyMethod_GET_FUNCTION(object)),
                    from_source(self, PyMethod_GET_SELF(object))};
  } else {
    value->kind = SymKind::kCell;  // contents are read on demand, so an empty cell is no error
  }
  return true;
}

bool Heap::realize_object(const SymRef& value) {
  PyTypeObject* type = Py_TYPE(value->object.get());
  uint32_t version = 0;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
    if (!assign_version(type)) {
      error = fmt::format("class {} without a version", type->tp_name);
      return false;
    }
    version = compat::type_version(type);
  }
  guards_.add_guard({&guard_type, value->source, kNoSource, 0, version,
                     Ref::share(reinterpret_cast<PyObject*>(type)), nullptr});
  if (PyObject** slot = instance_dict_slot(value->object.get())) {
    const auto met = by_object_.find(*slot);
    if (met != by_object_.end() && met->second->kind == SymKind::kDict) {
      error = fmt::format("{} whose __dict__ is looked at as a dict", type->tp_name);
      return false;
    }
    if (*slot) owned_dicts_.insert(*slot);
    if (!guard_keys_plain(value->source, *slot, true)) return false;
  }
  value->kind = SymKind::kObject;
  return true;
}

const std::vector<SymRef>* Heap::items(const SymRef& value) {
  if (value->kind == SymKind::kSize || !realize(value)) return nullptr;
  if (value->kind == SymKind::kTuple || value->kind == SymKind::kList) return &value->items;
  if (value->kind == SymKind::kConst && PyTuple_CheckExact(value->object.get())) {
    if (value->items.empty())
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value->object.get()); ++i)
        value->items.push_back(make_const(Ref::share(PyTuple_GET_ITEM(value->object.get(), i))));
    return &value->items;
  }
  return nullptr;
}

SymRef Heap::dict_get(const SymRef& dict, const SymRef& key) {
  for (const auto& [known, item] : dict->entries)
    if (same_key(known, key)) return item;
  if (dict->keys_known) return nullptr;
  const Py_hash_t hash = PyObject_Hash(key->object.get());
  PyObject* object = _PyDict_GetItem_KnownHash(dict->object.get(), key->object.get(), hash);
  if (!object) {
    guards_.add_guard({&guard_missing, dict->source, kNoSource, hash, 0, key->object, nullptr});
    return nullptr;
  }
  const std::string text =
      fmt::format("{}[{}]", guards_.source(dict->source).text, repr_text(key->object.get()));
  const SourceId id = guards_.add_source(LoadKind::kDictItem, dict->source, 0, key->object, text);
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
  for (Py_ssize_t i = 0; keys && i < PyTuple_GET_SIZE(keys.get()); ++i) {
    PyObject* key = PyTuple_GET_ITEM(keys.get(), i);
    SymRef symbol = make_const(Ref::share(key));
    if (!is_plain_key(symbol)) symbol = from_constant(Ref::share(key), repr_text(key));
    if (!pin_key(symbol)) {
      error = fmt::format("dict with {} keys", Py_TYPE(key)->tp_name);
      return false;
    }
    ordered.emplace_back(symbol, dict_get(dict, symbol));
  }
  guards_.add_guard({&guard_keys, dict->source, kNoSource, 0, 0, keys, nullptr});
  dict->entries = std::move(ordered);
  dict->keys_known = true;
  return true;
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
    dict->changed = dict->source != kNoSource;
    ++dict->removals;
    return item;
  }
  return nullptr;
}

SymRef Heap::instance_attr(const SymRef& object, PyObject* name) {
  const char* text = utf8_text(name);
  for (const auto& [known, value] : object->attributes)
    if (known == text) return value;
  if (!object->object) return nullptr;
  PyObject* dict = instance_dict(object->object.get());
  if (const SymRef* written = dict ? written_global(dict, name) : nullptr) return *written;
  const Py_hash_t hash = PyObject_Hash(name);
  PyObject* found = dict ? _PyDict_GetItem_KnownHash(dict, name, hash) : nullptr;
  if (!found) {
    guards_.add_guard(
        {&guard_missing, object->source, kNoSource, hash, 0, Ref::share(name), nullptr});
    return nullptr;
  }
  const std::string path = fmt::format("{}.{}", guards_.source(object->source).text, text);
  SymRef value = from_source(
      guards_.add_source(LoadKind::kInstanceAttr, object->source, 0, Ref::share(name), path),
      found);
  object->attributes.emplace_back(text, value);
  return value;
}

SymRef Heap::member(const SymRef& object, PyObject* descriptor) {
  auto* descr = reinterpret_cast<PyMemberDescrObject*>(descriptor);
  const char* name = utf8_text(descr->d_common.d_name);
  for (const auto& [known, value] : object->attributes)
    if (known == name) return value->is_null() ? nullptr : value;
  if (!object->object) return nullptr;
  const int offset = static_cast<int>(descr->d_member->offset);
  PyObject* found = object_at(object->object.get(), offset);
  if (!found) return nullptr;
  const std::string path = fmt::format("{}.{}", guards_.source(object->source).text, name);
  SymRef value =
      from_source(guards_.add_source(LoadKind::kMember, object->source, offset, {}, path), found);
  object->attributes.emplace_back(name, value);
  return value;
}

void Heap::guard_function(const SymRef& value) {
  auto* function = compat::function(value->object.get());
  if (value->source == kNoSource)
    value->source = from_constant(value->object, utf8_text(function->func_qualname))->source;
  guards_.add_guard({&msjit::guard_function, value->source, kNoSource, 0, 0,
                     Ref::share(function->func_code), nullptr});
}

SymRef Heap::function_part(const SymRef& function, LoadKind part) {
  auto* object = compat::function(function->object.get());
  PyObject* found = nullptr;
  const char* name = "";
  switch (part) {
    case LoadKind::kFunctionDefaults: found = object->func_defaults, name = "__defaults__"; break;
    case LoadKind::kFunctionKwDefaults:
      found = object->func_kwdefaults, name = "__kwdefaults__";
      break;
    case LoadKind::kFunctionClosure: found = object->func_closure, name = "__closure__"; break;
    default: found = object->func_globals, name = "__globals__"; break;
  }
  if (!found) return nullptr;
  const std::string text = fmt::format("{}.{}", guards_.source(function->source).text, name);
  return from_source(guards_.add_source(part, function->source, 0, {}, text), found);
}

SymRef Heap::part(const SymRef& owner, PyObject** at, const std::string& name) {
  const auto offset = reinterpret_cast<char*>(at) - reinterpret_cast<char*>(owner->object.get());
  if (owner->source == kNoSource) owner->source = from_constant(owner->object, "object")->source;
  const std::string text = fmt::format("{}.{}", guards_.source(owner->source).text, name);
  return from_source(
      guards_.add_source(LoadKind::kMember, owner->source, static_cast<int>(offset), {}, text),
      *at);
}

SymRef Heap::function_attr(const SymRef& function, PyObject* name) {
  auto* object = compat::function(function->object.get());
  const std::string_view text(utf8_text(name));
  error.clear();
  if (text == "__name__") return part(function, &object->func_name, "__name__");
  if (text == "__qualname__") return part(function, &object->func_qualname, "__qualname__");
  if (text == "__doc__" && object->func_doc) return part(function, &object->func_doc, "__doc__");
  if (text == "__module__" && object->func_module)
    return part(function, &object->func_module, "__module__");
  if (_PyType_Lookup(&PyFunction_Type, name)) return nullptr;
  if (!guard_keys_plain(function->source, object->func_dict, true)) return nullptr;
  return instance_attr(function, name);
}

// A function keeps its globals for life, so one that is pinned speaks for all that share them.
SourceId Heap::globals_source(const SymRef& function) {
  PyObject* globals = compat::function(function->object.get())->func_globals;
  if (auto it = globals_.find(globals); it != globals_.end()) return it->second;
  SourceId id = function_part(function, LoadKind::kFunctionGlobals)->source;
  if (globals == slots_.globals) {
    const SourceId own = guards_.add_source(LoadKind::kGlobalsDict, kNoSource, 0, {}, "globals()");
    guards_.add_guard({&msjit::guard_same, id, own, 0, 0, {}, nullptr});
    id = kNoSource;
  }
  return globals_[globals] = id;
}

SymRef Heap::globals_of(const SymFunction& fresh) {
  SymRef globals = make_const(fresh.globals);
  globals->source = fresh.globals_source;
  if (globals->source == kNoSource)
    globals->source = guards_.add_source(LoadKind::kGlobalsDict, kNoSource, 0, {}, "globals()");
  return globals;
}

SymRef Heap::cell_contents(const SymRef& cell) {
  if (!cell->items.empty()) return cell->items[0];
  PyObject* contents = cell->object ? PyCell_GET(cell->object.get()) : nullptr;
  if (!contents) return nullptr;
  const std::string text = guards_.source(cell->source).text;
  SymRef value =
      from_source(guards_.add_source(LoadKind::kCellContents, cell->source, 0, {}, text), contents);
  cell->items = {value};
  return value;
}

SourceId Heap::class_source(PyTypeObject* type) {
  return guards_.add_source(LoadKind::kConst, kNoSource, 0,
                            Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
}

bool Heap::guard_class_version(PyTypeObject* type) {
  if (!assign_version(type)) return false;
  guards_.add_guard({&guard_class, class_source(type), kNoSource, 0, compat::type_version(type),
                     Ref::share(reinterpret_cast<PyObject*>(type)), nullptr});
  return true;
}

SymRef Heap::class_attr(PyTypeObject* type, PyObject* name, PyObject* found) {
  const std::string text = fmt::format("{}.{}", type->tp_name, utf8_text(name));
  if (is_identity_constant(found)) return from_constant(Ref::share(found), text);
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !guard_class_version(type)) return nullptr;
  return from_source(
      guards_.add_source(LoadKind::kClassAttr, class_source(type), 0, Ref::share(name), text),
      found);
}

void Heap::guard_aliasing() {
  for (const SymRef& changed : mutables_) {
    if (!changed->changed) continue;
    for (const SymRef& other : mutables_) {
      if (other == changed || Py_TYPE(other->object.get()) != Py_TYPE(changed->object.get()))
        continue;
      guards_.add_guard({&guard_different, changed->source, other->source, 0, 0, {}, nullptr});
    }
  }
}

}  // namespace msjit
