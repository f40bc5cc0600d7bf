// Subscripts and unpacking.
#include <algorithm>

#include <fmt/core.h>

#include "bytecode/handlers/operands.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/scan_capture.h"
#include "bytecode/tensor_value.h"
#include "bytecode/versions/version.h"

namespace msjit {

bool tensor_set_item(Executor& x, const SymRef& tensor, const SymRef& key,
                     const SymRef& value);  // builtins/tensor_make.cc
bool tensor_subscript(Executor& x, const SymRef& tensor, const SymRef& key,
                      SymRef* out);  // builtins/tensor.cc

namespace {

bool index_value(const SymRef& key, Py_ssize_t* out) {
  if (key->kind != SymKind::kConst || !PyLong_Check(key->object.get())) return false;
  *out = PyLong_AsSsize_t(key->object.get());
  if (*out == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

bool slice_items(Executor& x, const SymRef& container, const SymRef& key, SymRef* out) {
  Ref slice = constant_object(key);
  if (!slice) return x.fail(BreakReason::kUnsupported, "slice with unknown bounds");
  const std::vector<SymRef>& items = *x.heap().items(container);
  Py_ssize_t start, stop, step;
  const Py_ssize_t size = static_cast<Py_ssize_t>(items.size());
  if (PySlice_Unpack(slice.get(), &start, &stop, &step) < 0) {
    PyErr_Clear();
    return x.fail(BreakReason::kRaises, "slice");
  }
  const Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
  if (start == 0 && step == 1 && count == size && is_plain_tuple(container))
    return *out = container, true;
  std::vector<SymRef> chosen;
  for (Py_ssize_t k = 0; k < count; ++k) chosen.push_back(items[start + k * step]);
  *out = make_items(container->kind == SymKind::kList ? SymKind::kList : SymKind::kTuple,
                    std::move(chosen));
  return true;
}

bool is_slice(const SymRef& key) {
  return key->kind == SymKind::kSlice ||
         (key->kind == SymKind::kConst && PySlice_Check(key->object.get()));
}

}  // namespace

bool Executor::look_fixed(const SymRef& value) {
  if (!look(value)) return false;
  if (value->kind != SymKind::kSlice && (value->kind != SymKind::kTuple || value->cls)) return true;
  for (const SymRef& part : value->items)
    if (part->kind == SymKind::kSize && !look(part)) return false;
  return true;
}

namespace {

// A defaultdict makes what it has not got.
bool missing_item(Executor& x, const SymRef& dict, const SymRef& key, SymRef* out) {
  const SymRef factory = dict->items[0];
  if (!x.look(factory)) return false;
  if (factory->is_const(Py_None)) return x.raise_new(PyExc_KeyError, {key}, "dict lookup");
  if (!x.heap().dict_all(dict)) return x.fail(BreakReason::kObjectType, x.heap().error);
  if (!x.call(factory, {}, nullptr, out)) return false;
  x.heap().dict_set(dict, key, *out);
  dict->changed = dict->source != kNoSource;
  return true;
}

// dict[key]; `plain` is the key as a builtin value.
bool look_up(Executor& x, const SymRef& dict, const SymRef& key, const SymRef& plain, SymRef* out) {
  if (!x.heap().pin_key(plain))
    return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
  *out = x.heap().dict_get(dict, plain);
  if (*out) return true;
  if (dict->items.empty()) return x.raise_new(PyExc_KeyError, {key}, "dict lookup");
  return x.heap().pin_key(key) ? missing_item(x, dict, key, out)
                               : x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
}

// An item of a tuple of floats at an open position, as learning rates are kept by step: an open
// number. Null: not of that kind.
SymRef open_item(Executor& x, const SymRef& tuple, const SymRef& position) {
  if (position->kind != SymKind::kSize || x.in_arm() || !x.heap().pin_floats(tuple)) return nullptr;
  const int64_t now = PyLong_AsLongLong(position->object.get());
  const int64_t count = PyTuple_GET_SIZE(tuple->object.get());
  if (now < -count || now >= count) return nullptr;
  NumberNode item{NumberNode::Kind::kItem};
  item.object = tuple->object;
  item.size = position->size;
  SymRef value = make_sym(SymKind::kNumber);
  value->object = Ref::share(PyTuple_GET_ITEM(tuple->object.get(), now < 0 ? now + count : now));
  value->number = std::make_shared<NumberNode>(std::move(item));
  x.add_demand(value);  // another position may be out of range
  return value;
}

// What the region has appended to a list, from its end; null: it takes a look into the list.
SymRef appended_item(const SymRef& list, const SymRef& key) {
  Py_ssize_t index = 0;
  const Py_ssize_t size = static_cast<Py_ssize_t>(list->items.size());
  if (key->kind != SymKind::kConst || !index_value(key, &index)) return nullptr;
  return index < 0 && -index <= size ? list->items[size_t(size + index)] : nullptr;
}

}  // namespace

bool Executor::subscript(const SymRef& container, const SymRef& key, SymRef* out) {
  if (has_turn(key)) [[unlikely]]
    return scan_row(container, key, out);
  if (container->kind == SymKind::kRows) [[unlikely]]
    return rows_subscript(*this, container, key, out);
  if (is_unread_list(*container) && (*out = appended_item(container, key))) return true;
  if (!look(container) || !look_open(key)) return false;
  if (container->is_tensor()) return tensor_subscript(*this, container, key, out);
  if (SymRef item = open_item(*this, container, key)) return *out = std::move(item), true;
  if (!look_fixed(key)) return false;
  const bool keyed = container->kind == SymKind::kDict || container->kind == SymKind::kVars;
  const SymRef plain = plain_value(*this, keyed ? key : plain_index(key));
  if (container->kind == SymKind::kDict) return look_up(*this, container, key, plain, out);
  if (plain != key && container->kind != SymKind::kObject) return subscript(container, plain, out);
  if (container->kind == SymKind::kVars) {
    if (!vars_get(*this, container, key, out)) return false;
    return *out ? true : raise_new(PyExc_KeyError, {key}, "dict lookup");
  }
  if (const std::vector<SymRef>* items = heap_.items(container)) {
    if (is_slice(key)) return slice_items(*this, container, key, out);
    if (key->is_tensor()) return choose_item(*this, container, key, out);
    Py_ssize_t index;
    if (!index_value(key, &index))
      return fail(BreakReason::kUnsupported, "index " + describe(*key));
    const Py_ssize_t size = static_cast<Py_ssize_t>(items->size());
    if (index < 0) index += size;
    if (index < 0 || index >= size)
      return raise_new(PyExc_IndexError, container->kind == SymKind::kList
                                             ? "list index out of range"
                                             : "tuple index out of range");
    *out = (*items)[index];
    return true;
  }
  if (is_enum_class(container)) return enum_item(*this, container, key, out);
  if (is_array(container)) return array_subscript(*this, container, key, out);
  if (container->kind == SymKind::kConst && !PyType_Check(container->object.get())) {
    Ref constant = constant_object(key);
    PyObject* object = container->object.get();
    if (constant &&
        (PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || PyRange_Check(object)) &&
        (PyLong_CheckExact(constant.get()) || PySlice_Check(constant.get()))) {
      if (PyObject* item = PyObject_GetItem(object, constant.get())) {
        *out = make_const(Ref::steal(item));
        return true;
      }
      PyErr_Clear();
      return fail(BreakReason::kRaises, "index out of range");
    }
  }
  if (container->kind == SymKind::kObject)
    return call_special(*this, container, "__getitem__", {key}, out);
  return fail(BreakReason::kUnsupported, "index of " + describe(*container));
}

bool exec_Subscr(Executor& x, SymFrame& f, const Instr&) {
  const SymRef key = f.pop();
  const SymRef container = f.pop();
  SymRef out;
  if (!x.subscript(container, key, &out)) return false;
  f.push(std::move(out));
  return true;
}

namespace {

// The items a slice of a list names, and what replaces them; null = they go.
bool replace_slice(Executor& x, const SymRef& list, const SymRef& key, const SymRef& value) {
  Ref slice = constant_object(key);
  std::vector<SymRef> fresh;
  Py_ssize_t start, stop, step;
  if (!slice) return x.fail(BreakReason::kUnsupported, "slice with unknown bounds");
  if (value && !x.unpack(value, &fresh)) return false;
  if (PySlice_Unpack(slice.get(), &start, &stop, &step) < 0) return x.raise_python("slice");
  auto& items = list->items;
  const Py_ssize_t count =
      PySlice_AdjustIndices(static_cast<Py_ssize_t>(items.size()), &start, &stop, step);
  if (value && step != 1) {
    if (static_cast<Py_ssize_t>(fresh.size()) != count)
      return x.fail(BreakReason::kRaises, "assignment to an extended slice");
    for (Py_ssize_t k = 0; k < count; ++k) items[start + k * step] = fresh[k];
  } else if (step == 1) {
    items.erase(items.begin() + start, items.begin() + start + count);
    items.insert(items.begin() + start, fresh.begin(), fresh.end());
  } else {
    for (Py_ssize_t k = 0; k < count; ++k) items[start + k * step] = nullptr;
    items.erase(std::remove(items.begin(), items.end(), nullptr), items.end());
  }
  list->changed = list->source != kNoSource;
  return true;
}

// Stores `value` under `key`, or deletes the item when it is null.
bool change_item(Executor& x, const SymRef& list, const SymRef& given, const SymRef& value) {
  Py_ssize_t index;
  const SymRef key = plain_index(given);
  if (is_slice(key)) return replace_slice(x, list, key, value);
  if (!index_value(key, &index))
    return x.fail(BreakReason::kMutation, "item " + describe(*key) + " of a list");
  const Py_ssize_t size = static_cast<Py_ssize_t>(list->items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size)
    return x.raise_new(PyExc_IndexError, "list assignment index out of range");
  if (value)
    list->items[index] = value;
  else
    list->items.erase(list->items.begin() + index);
  list->changed = list->source != kNoSource;
  return true;
}

}  // namespace

bool Executor::set_item(const SymRef& container, const SymRef& key, const SymRef& value) {
  if (!look(container) || !look_fixed(key)) return false;
  if (container->is_tensor()) return tensor_set_item(*this, container, key, value);
  SymRef ignored;
  if (has_special(container, "__setitem__"))
    return call_special(*this, container, "__setitem__", {key, value}, &ignored);
  if (container->kind == SymKind::kList) return change_item(*this, container, key, value);
  if (container->kind == SymKind::kVars) return vars_set(*this, container, key, value);
  if (container->kind != SymKind::kDict || !heap_.pin_key(key))
    return fail(BreakReason::kMutation, "an item of " + describe(*container));
  if (!heap_.dict_all(container)) return fail(BreakReason::kObjectType, heap_.error);
  heap_.dict_set(container, key, value);
  container->changed = container->source != kNoSource;
  return true;
}

bool Executor::del_item(const SymRef& container, const SymRef& key) {
  if (!look(container) || !look_fixed(key)) return false;
  SymRef ignored;
  if (has_special(container, "__delitem__"))
    return call_special(*this, container, "__delitem__", {key}, &ignored);
  if (container->kind == SymKind::kList) return change_item(*this, container, key, nullptr);
  if (container->kind == SymKind::kVars) {
    if (!vars_remove(*this, container, key, &ignored)) return false;
    return ignored ? true : raise_new(PyExc_KeyError, {key}, "dict lookup");
  }
  if (container->kind != SymKind::kDict || !heap_.pin_key(key))
    return fail(BreakReason::kMutation, "an item of " + describe(*container));
  if (!heap_.dict_all(container)) return fail(BreakReason::kObjectType, heap_.error);
  return heap_.dict_remove(container, key) || raise_new(PyExc_KeyError, {key}, "dict lookup");
}

bool exec_StoreSubscr(Executor& x, SymFrame& f, const Instr&) {
  const SymRef key = f.pop();
  const SymRef container = f.pop();
  const SymRef value = f.pop();
  return x.set_item(container, key, value);
}

bool exec_DeleteSubscr(Executor& x, SymFrame& f, const Instr&) {
  const SymRef key = f.pop();
  const SymRef container = f.pop();
  return x.del_item(container, key);
}

bool exec_UnpackSequence(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef value = f.pop();
  std::vector<SymRef> items;
  if (!x.look(value)) return false;
  if (value->kind == SymKind::kIterator || value->kind == SymKind::kObject) {
    // One item more than asked for is taken, to see that there is none.
    SymRef iterator, item;
    if (!x.iterate(value, &iterator)) return false;
    for (bool done = false; !done && static_cast<int>(items.size()) <= i.arg;) {
      if (!x.next(iterator, &item, &done)) return false;
      if (!done) items.push_back(item);
    }
  } else if (!x.unpack(value, &items)) {
    return false;
  }
  const int count = static_cast<int>(items.size());
  if (count < i.arg)
    return x.raise_new(
        PyExc_ValueError,
        fmt::format("not enough values to unpack (expected {}, got {})", i.arg, count));
  if (count > i.arg)
    return x.raise_new(
        PyExc_ValueError,
        version::too_many_values(i.arg, version::has_known_size(type_of(*value)) ? count : -1));
  for (auto it = items.rbegin(); it != items.rend(); ++it) f.push(*it);
  return true;
}

bool exec_UnpackEx(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef value = f.pop();
  std::vector<SymRef> items;
  if (!x.unpack(value, &items)) return false;
  const size_t before = i.arg & 0xFF, after = static_cast<size_t>(i.arg) >> 8;
  if (items.size() < before + after) return x.fail(BreakReason::kRaises, "unpacking");
  for (size_t k = 0; k < after; ++k) f.push(items[items.size() - 1 - k]);
  f.push(make_items(SymKind::kList, {items.begin() + before, items.end() - after}));
  for (size_t k = before; k-- > 0;) f.push(items[k]);
  return true;
}

}  // namespace msjit
