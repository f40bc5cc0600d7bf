// Reading by name: globals and builtins, attributes of instances, classes and functions, contents
// of cells.
#include "bytecode/heap.h"

#include <fmt/core.h>

#include "bytecode/counters.h"
#include "bytecode/library.h"
#include "guards/py/abstract.h"
#include "guards/py/compat.h"
#include "guards/py/compat_monitoring.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

#include <structmember.h>

namespace msjit {
namespace {

// Gives a class its version tag, which a lookup does; false when CPython has run out of tags.
bool assign_version(PyTypeObject* type) {
  static PyObject* const probe = special_name("__class__");
  host::find_on_class(type, probe);
  return compat::type_version(type) != 0;
}

}  // namespace

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

bool Heap::is_global(PyObject* globals, SourceId globals_source, PyObject* name) {
  if (const SymRef* written = written_global(globals, name)) return !(*written)->is_null();
  return PyDict_CheckExact(globals) && host::find_name(globals, utf8_text(name)) &&
         global(globals, globals_source, nullptr, name);
}

// `globals_source` is kNoSource for the frame's own globals.
SymRef Heap::global(PyObject* globals, SourceId globals_source, PyObject* builtins,
                    PyObject* name) {
  if (const SymRef* written = written_global(globals, name))
    return (*written)->is_null() ? builtin(builtins, globals_source, name) : *written;
  const char* text = utf8_text(name);
  const Py_hash_t hash = host::call(host::values, PyObject_Hash, name);
  const bool own = globals_source == kNoSource;
  const SourceId table =
      own ? guards_.add_source(load::globals_dict, kNoSource, 0, {}, "globals()") : globals_source;
  if (!guard_keys_plain(table, globals, false)) return nullptr;
  namespaces_.emplace(table, globals);
  if (PyObject* object =
          host::call(host::checked, _PyDict_GetItem_KnownHash, globals, name, hash)) {
    const SourceId id = own ? guards_.add_source(load::global, kNoSource, 0, Ref::share(name), text)
                            : guards_.add_source(load::dict_item, table, 0, Ref::share(name), text);
    return from_source(id, object);
  }
  guards_.add(guard::missing, table, {.version = 1, .number = hash, .object = Ref::share(name)});
  return builtin(builtins, globals_source, name);
}

SymRef Heap::builtin(PyObject* builtins, SourceId globals_source, PyObject* name) {
  if (!PyDict_CheckExact(builtins)) return nullptr;
  const bool own = globals_source == kNoSource && builtins == slots_.builtins;
  const SourceId table =
      own ? guards_.add_source(load::builtins_dict, kNoSource, 0, {}, "builtins")
          : guards_.add_source(load::constant, kNoSource, 0, Ref::share(builtins), "builtins");
  if (!guard_keys_plain(table, builtins, false)) return nullptr;
  namespaces_.emplace(table, builtins);
  const char* text = utf8_text(name);
  PyObject* object = host::call(host::checked, _PyDict_GetItem_KnownHash, builtins, name,
                                host::call(host::values, PyObject_Hash, name));
  if (!object) return nullptr;
  const LoadKind& kind = own ? load::builtin : load::dict_item;
  return from_source(guards_.add_source(kind, own ? kNoSource : table, 0, Ref::share(name), text),
                     object);
}

bool Heap::guard_type_of(const SymRef& value) {
  PyTypeObject* type = Py_TYPE(value->object.get());
  uint32_t version = 0;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
    if (!assign_version(type)) {
      error = fmt::format("class {} without a version", type->tp_name);
      return false;
    }
    version = compat::type_version(type);
  }
  guards_.add(guard::type, value->source,
              {.version = version, .object = Ref::share(reinterpret_cast<PyObject*>(type))});
  return true;
}

bool Heap::read_instance(const SymRef& value) {
  if (!guard_type_of(value)) return false;
  PyTypeObject* type = Py_TYPE(value->object.get());
  PyObject* dict = existing_dict(value->object.get());
  if (dict) {
    const auto met = by_object_.find(dict);
    if (met != by_object_.end() && met->second->kind == SymKind::kDict) {
      error = fmt::format("{} whose __dict__ is looked at as a dict", type->tp_name);
      return false;
    }
    owned_dicts_.insert(dict);
  }
  if (dict || has_attributes(value->object.get()))
    if (!guard_keys_plain(value->source, dict, true)) return false;
  value->kind = SymKind::kObject;
  return true;
}

SymRef Heap::instance_attr(const SymRef& object, PyObject* name) {
  const char* text = utf8_text(name);
  PyObject* const real = object->object.get();
  if (real && object->source != kNoSource) namespaces_.emplace(object->source, real);
  PyObject* const dict = real ? existing_dict(real) : nullptr;
  if (const SymRef* written = dict ? written_global(dict, name) : nullptr) return *written;
  for (const auto& [known, value] : object->attributes)
    if (known == text) return value;
  if (!real) return nullptr;
  const Py_hash_t hash = host::call(host::values, PyObject_Hash, name);
  PyObject* found = instance_item(real, name, hash);
  if (!found) {
    guards_.add(guard::missing, object->source, {.number = hash, .object = Ref::share(name)});
    return nullptr;
  }
  const std::string path = fmt::format("{}.{}", guards_.source(object->source).text, text);
  if (PyLong_CheckExact(found) && is_counter(Py_TYPE(real), name)) sizes_->expect_change(path);
  SymRef value = from_source(
      guards_.add_source(load::instance_attr, object->source, 0, Ref::share(name), path), found);
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
      from_source(guards_.add_source(load::member, object->source, offset, {}, path), found);
  object->attributes.emplace_back(name, value);
  return value;
}

void Heap::guard_function(const SymRef& value) {
  auto* function = compat::function(value->object.get());
  if (value->source == kNoSource)
    value->source = from_constant(value->object, utf8_text(function->func_qualname))->source;
  guards_.add(guard::function, value->source, {.object = Ref::share(function->func_code)});
}

void Heap::guard_no_gradients() {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "gradients");
  guards_.add(guard::gradients, id);
  plain_ = true;
}

void Heap::guard_gradients() {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "gradients");
  guards_.add(guard::gradients, id, {.number = 1});
}

void Heap::guard_outside_scopes(bool outside) {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "gradients");
  guards_.add(guard::gradients, id, {.number = outside ? 3 : 2});
  plain_ |= outside;
}

void Heap::guard_syntax_level() {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "context");
  guards_.add(guard::syntax_level, id, {.number = g_strict_by_context});
}

void Heap::guard_registrations() {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "abc");
  guards_.add(guard::registered, id, {.number = registrations()});
}

int Heap::guard_recursion_limit() {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "sys");
  const int limit = Py_GetRecursionLimit();
  guards_.add(guard::recursion_limit, id, {.number = limit});
  return limit;
}

bool Heap::guard_unhandled() {
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::none(), "exc_info");
  if (!guard::unhandled.check({}, nullptr, nullptr)) return false;
  guards_.add(guard::unhandled, id, {});
  return true;
}

bool Heap::guard_unwatched(PyCodeObject* code) {
  if (!compat::kHasListeners) return true;
  if (compat::has_listeners(code)) return false;
  auto* object = reinterpret_cast<PyObject*>(code);
  const char* name = utf8_text(code->co_name);
  const SourceId id = guards_.add_source(load::constant, kNoSource, 0, Ref::share(object),
                                         fmt::format("{}.__code__", name ? name : "?"));
  guards_.add(guard::unwatched, id);
  return true;
}

SymRef Heap::function_part(const SymRef& function, const LoadKind& part) {
  PyObject* found = part.find({.kind = &part}, function->object.get(), slots_);
  if (!found) return nullptr;
  const std::string text = fmt::format("{}.{}", guards_.source(function->source).text, part.name);
  return from_source(guards_.add_source(part, function->source, 0, {}, text), found);
}

SymRef Heap::part(const SymRef& owner, PyObject** at, const std::string& name) {
  const auto offset = reinterpret_cast<char*>(at) - reinterpret_cast<char*>(owner->object.get());
  if (owner->source == kNoSource) owner->source = from_constant(owner->object, "object")->source;
  const std::string text = fmt::format("{}.{}", guards_.source(owner->source).text, name);
  const LoadKind& kind = *at ? load::member : load::no_member;
  return from_source(guards_.add_source(kind, owner->source, static_cast<int>(offset), {}, text),
                     *at ? *at : Py_None);
}

// The compiler leaves annotations as a flat tuple from 3.10 on; the first read makes a dict. From
// 3.14 on that read runs a function of the program.
SymRef Heap::annotations(const SymRef& function) {
  PyObject** const at = &compat::function(function->object.get())->func_annotations;
  if ((!*at || !PyDict_Check(*at)) && !compat::has_annotate(function->object.get())) {
    const Ref made = Ref::steal(host::call(host::of_static, PyObject_GetAttrString,
                                           function->object.get(), "__annotations__"));
    if (!made) PyErr_Clear();
  }
  return *at && PyDict_CheckExact(*at) ? part(function, at, "__annotations__") : nullptr;
}

SymRef Heap::function_attr(const SymRef& function, PyObject* name) {
  auto* object = compat::function(function->object.get());
  const std::string_view text(utf8_text(name));
  error.clear();
  if (text == "__name__") return part(function, &object->func_name, "__name__");
  if (text == "__defaults__") return part(function, &object->func_defaults, "__defaults__");
  if (text == "__kwdefaults__") return part(function, &object->func_kwdefaults, "__kwdefaults__");
  if (text == "__annotations__") return annotations(function);
  if (text == "__globals__") return function_part(function, load::function_globals);
  if (text == "__code__")
    return guard_function(function), make_const(Ref::share(object->func_code));
  if (text == "__qualname__") return part(function, &object->func_qualname, "__qualname__");
  if (text == "__doc__") return part(function, &object->func_doc, "__doc__");
  if (text == "__module__") return part(function, &object->func_module, "__module__");
  if (host::find_on_class(&PyFunction_Type, name)) return nullptr;
  if (!guard_keys_plain(function->source, object->func_dict, true)) return nullptr;
  return instance_attr(function, name);
}

// The globals of a function cannot be replaced, so one pinned function is the source for all
// functions with these globals.
SourceId Heap::globals_source(const SymRef& function) {
  PyObject* globals = compat::function(function->object.get())->func_globals;
  if (auto it = globals_.find(globals); it != globals_.end()) return it->second;
  SourceId id = function_part(function, load::function_globals)->source;
  if (globals == slots_.globals) {
    const SourceId own = guards_.add_source(load::globals_dict, kNoSource, 0, {}, "globals()");
    guards_.add(guard::same, id, {.other = own});
    id = kNoSource;
  }
  return globals_[globals] = id;
}

SymRef Heap::globals_of(const SymFunction& fresh) {
  SymRef globals = make_const(fresh.globals);
  globals->source = fresh.globals_source;
  if (globals->source == kNoSource)
    globals->source = guards_.add_source(load::globals_dict, kNoSource, 0, {}, "globals()");
  return globals;
}

SymRef Heap::cell_contents(const SymRef& cell) {
  if (!cell->items.empty()) return cell->items[0];
  PyObject* contents = cell->object ? PyCell_GET(cell->object.get()) : nullptr;
  if (!contents) return nullptr;
  const std::string text = guards_.source(cell->source).text;
  SymRef value =
      from_source(guards_.add_source(load::cell_contents, cell->source, 0, {}, text), contents);
  cell->items = {value};
  return value;
}

SourceId Heap::class_source(PyTypeObject* type) {
  return guards_.add_source(load::constant, kNoSource, 0,
                            Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
}

bool Heap::guard_class_version(PyTypeObject* type) {
  if (!assign_version(type)) return false;
  guards_.add(guard::class_version, class_source(type),
              {.version = compat::type_version(type),
               .object = Ref::share(reinterpret_cast<PyObject*>(type))});
  return true;
}

SymRef Heap::class_attr(PyTypeObject* type, PyObject* name, PyObject* found) {
  const std::string text = fmt::format("{}.{}", type->tp_name, utf8_text(name));
  if (is_identity_constant(found)) return from_constant(Ref::share(found), text);
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !guard_class_version(type)) return nullptr;
  return from_source(
      guards_.add_source(load::class_attr, class_source(type), 0, Ref::share(name), text), found);
}

bool Heap::deque_length(const SymRef& deque, int64_t* out) {
  if (sizes_->differs(guards_.source(deque->source).text)) return false;
  *out = Py_SIZE(deque->object.get());
  guards_.add(guard::length, deque->source, {.number = *out});
  return true;
}

int64_t Heap::deque_limit(const SymRef& deque) {
  const int64_t limit = limit_of_deque(deque->object.get());
  guards_.add(guard::deque_limit, deque->source, {.number = limit});
  return limit;
}

}  // namespace msjit
