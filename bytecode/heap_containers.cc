// Looks at containers of the program: tuples, lists, sets, slices, methods, and the items of
// instances of classes derived from list. Dictionaries are in heap_dict.cc.
#include <fmt/core.h>

#include <utility>

#include "bytecode/drawn_numbers.h"
#include "bytecode/heap.h"
#include "bytecode/list_objects.h"
#include "guards/py/host_call.h"
#include "guards/py/set_table.h"
#include "guards/py/tables.h"

namespace msjit {

// A method of a builtin class bound to an object, as `append = items.append` keeps it. Nothing can
// replace its parts.
bool Heap::realize_builtin_method(const SymRef& value) {
  auto* const method = reinterpret_cast<PyCFunctionObject*>(value->object.get());
  guard_exact_type(value);
  guards_.add(guard::builtin_method, value->source,
              {.number = reinterpret_cast<intptr_t>(method->m_ml)});
  const SymRef self = part(value, &method->m_self, "__self__");
  guard_exact_type(self);  // a derived class may bind the same method
  const Ref name = interned_text(method->m_ml->ml_name);
  PyObject* const own = host::find_on_class(Py_TYPE(method->m_self), name.get());
  value->items = {make_const(own && is_legacy_method(own) ? Ref::share(own) : name), self};
  value->kind = SymKind::kMethod;
  return true;
}

bool Heap::realize_set(const SymRef& value) {
  constexpr Py_ssize_t kCompared = 16;  // a larger frozenset is the same one, or another capture
  PyObject* object = value->object.get();
  Ref items = PySet_GET_SIZE(object) > kMaxItems
                  ? Ref()
                  : Ref::steal(host::call(host::checked, PySequence_List, object));
  error = "set with items that compare by Python code";
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); ++i)
    if (PyObject* item = PyList_GET_ITEM(items.get(), i); !is_key_value(item) && !is_single(item))
      return false;
  value->shadow = items ? clone_set(object) : Ref();
  Ref table = value->shadow ? loose_set(object) : Ref();
  Ref payload = table ? Ref::steal(PyTuple_Pack(1, table.get())) : Ref();
  if (!payload) return PyErr_Clear(), false;
  if (PyFrozenSet_CheckExact(object) && PySet_GET_SIZE(object) > kCompared && lasts(value))
    guard_identity(value);
  else
    guards_.add(guard::set_items, value->source, {.object = std::move(payload)});
  value->cls = Ref::share(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  value->kind = SymKind::kSet;
  return true;
}

// A slice is immutable. Its bounds are looked at one by one, because slices with 1, 1.0 or True as
// a bound are equal.
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
    if (!tuple && sizes_->differs(text)) {
      error = "a list whose length differs between calls";
      return false;
    }
    if (n > kMaxItems) {
      error = fmt::format("{} of {} items", type->tp_name, n);
      return false;
    }
    guards_.add(guard::length, id, {.number = n});
    const std::vector<SymRef> appended = std::exchange(value->items, {});
    value->kind = tuple ? SymKind::kTuple : SymKind::kList;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = tuple ? PyTuple_GET_ITEM(object, i) : PyList_GET_ITEM(object, i);
      const LoadKind& kind = tuple ? load::tuple_item : load::list_item;
      value->items.push_back(from_source(
          guards_.add_source(kind, id, static_cast<int>(i), {}, fmt::format("{}[{}]", text, i)),
          item));
    }
    value->items.insert(value->items.end(), appended.begin(), appended.end());
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
        guards_.add_source(load::method_function, id, 0, {}, text + ".__func__");
    const SourceId self = guards_.add_source(load::method_self, id, 0, {}, text + ".__self__");
    value->items = {from_source(function, PyMethod_GET_FUNCTION(object)),
                    from_source(self, PyMethod_GET_SELF(object))};
  } else {
    value->kind = SymKind::kCell;  // contents are read on demand, so an empty cell is no error
  }
  return true;
}

SymRef Heap::list_of(const SymRef& object) {
  if (!object->items.empty() && object->items[0]->kind == SymKind::kList) return object->items[0];
  PyObject* const real = object->object.get();
  const std::string text = guards_.source(object->source).text;
  error = fmt::format("the items of a {}", Py_TYPE(real)->tp_name);
  const Py_ssize_t n = Py_SIZE(real);
  if (!object->items.empty() || sizes_->differs(text) || n > kMaxItems) return nullptr;
  guards_.add(guard::length, object->source, {.number = n});
  SymRef list = new_list(Py_TYPE(real));
  list->source = object->source;
  list->object = object->object;
  for (Py_ssize_t i = 0; i < n; ++i)
    list->items.push_back(
        from_source(guards_.add_source(load::list_item, object->source, static_cast<int>(i), {},
                                       fmt::format("{}[{}]", text, i)),
                    PyList_GET_ITEM(real, i)));
  object->items = {list};
  return list;
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

}  // namespace msjit
