// Items of tuples and lists of the program, and of instances of classes derived from list.
// Dictionaries are in heap_dict.cc.
#include <fmt/core.h>

#include <utility>

#include "bytecode/drawn_numbers.h"
#include "bytecode/heap.h"
#include "bytecode/list_objects.h"
#include "guards/py/host_call.h"
#include "guards/py/set_table.h"
#include "guards/py/tables.h"

namespace msjit {

bool Heap::read_items(const SymRef& value, const LoadKind& item, std::vector<SymRef>* items) {
  PyObject* const object = value->object.get();
  const Py_ssize_t n = Py_SIZE(object);
  const std::string text = guards_.source(value->source).text;
  if (n > kMaxItems) {
    error = fmt::format("{} of {} items", Py_TYPE(object)->tp_name, n);
    return false;
  }
  guards_.add(guard::length, value->source, {.number = n});
  for (Py_ssize_t i = 0; i < n; ++i) {
    const SourceId id = guards_.add_source(item, value->source, static_cast<int>(i), {},
                                           fmt::format("{}[{}]", text, i));
    items->push_back(from_source(id, PySequence_Fast_GET_ITEM(object, i)));
  }
  return true;
}

SymRef Heap::list_of(const SymRef& object) {
  if (!object->items.empty() && object->items[0]->kind == SymKind::kList) return object->items[0];
  PyObject* const real = object->object.get();
  error = fmt::format("the items of a {}", Py_TYPE(real)->tp_name);
  const bool differs = sizes_->differs(guards_.source(object->source).text);
  if (!object->items.empty() || differs || Py_SIZE(real) > kMaxItems) return nullptr;
  SymRef list = new_list(Py_TYPE(real));
  list->source = object->source;
  list->object = object->object;
  if (!read_items(list, load::list_item, &list->items)) return nullptr;
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
