#include "bytecode/values/sequence.h"

#include "bytecode/builtins/models.h"
#include "bytecode/control.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/scan_capture.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/computed_graph.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/turn_table.h"

namespace msjit {

bool index_value(const SymRef& key, Py_ssize_t* out) {
  if (key->kind != SymKind::kConst || !PyLong_Check(key->object.get())) return false;
  *out = PyLong_AsSsize_t(key->object.get());
  if (*out == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

bool is_slice(const SymRef& key) {
  return key->kind == SymKind::kSlice ||
         (key->kind == SymKind::kConst && PySlice_Check(key->object.get()));
}

bool plain_key(Executor& x, const SymRef& key, SymRef* out) {
  if (!x.look_fixed(key)) return false;
  *out = plain_value(x, plain_index(key));
  return *out == key || x.look_fixed(*out);
}

namespace {

// The tuple of a constant; null for other sequences. Its length and single items are read from it
// directly, without a SymValue for each item: a schedule of learning rates has one item for each
// step.
PyObject* constant_tuple(const SymRef& value) {
  return value->kind == SymKind::kConst && PyTuple_CheckExact(value->object.get())
             ? value->object.get()
             : nullptr;
}

Py_ssize_t item_count(Executor& x, const SymRef& value) {
  if (PyObject* const tuple = constant_tuple(value)) return PyTuple_GET_SIZE(tuple);
  return static_cast<Py_ssize_t>(x.heap().items(value)->size());
}

SymRef item_at(Executor& x, const SymRef& value, Py_ssize_t index) {
  PyObject* const tuple = value->items.empty() ? constant_tuple(value) : nullptr;
  if (tuple) return make_const(Ref::share(PyTuple_GET_ITEM(tuple, index)));
  return (*x.heap().items(value))[index];
}

}  // namespace

bool sequence_length(Executor& x, const SymRef& value, SymRef* out) {
  return *out = sym_int(static_cast<int64_t>(item_count(x, value))), true;
}

bool sequence_truth(Executor& x, const SymRef& value, bool* out) {
  return *out = item_count(x, value) != 0, true;
}

bool sequence_iterate(Executor& x, const SymRef& value, SymRef* out) {
  return *out = x.new_iterator(iter_sequence, {value}), true;
}

bool sequence_contains(Executor& x, const SymRef& container, const SymRef& item, bool* out) {
  for (const SymRef& candidate : std::vector<SymRef>(*x.heap().items(container))) {
    if (!same_item(x, candidate, item, out)) return false;
    if (*out) return true;
  }
  return *out = false, true;
}

namespace {

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
  *out = make_items(is_list(container) ? SymKind::kList : SymKind::kTuple, std::move(chosen));
  return true;
}

// An item of a tuple of floats at an open position, as learning rates are stored by step: an open
// float. Null: not of that kind.
SymRef open_item(Executor& x, const SymRef& tuple, const SymRef& position) {
  if (position->kind != SymKind::kSize || !x.heap().pin_floats(tuple)) return nullptr;
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

}  // namespace

bool pick_item(Executor& x, const SymRef& container, const SymRef& key, SymRef* out, bool* known) {
  constexpr Py_ssize_t kMostItems = 64;
  if ((key->kind != SymKind::kScalar && key->kind != SymKind::kComputed) ||
      type_of(*key) != &PyLong_Type || !is_sequence(x, container) ||
      item_count(x, container) > kMostItems)
    return true;
  const std::vector<SymRef> items = *x.heap().items(container);
  if (!computed_item(x, key, items, out, known)) return false;
  if (*known || !drawn_in(key) || x.in_arm()) return true;
  SymRef index;
  if (!python_number(x, key, &index)) return false;
  if (!index) return true;
  if (!choose_item(x, container, index, out)) return false;
  if ((*out)->kind == SymKind::kChoice) (*out)->entries.emplace_back(key, nullptr);
  return *known = true;
}

bool item_of_turn(Executor& x, const SymRef& container, const SymRef& turn, SymRef* out,
                  bool* known) {
  constexpr Py_ssize_t kMostItems = 4096;  // each has a guard
  if (turn->kind != SymKind::kTurn) return true;
  if (!item_by_turn(x, container, turn, out, known)) return false;
  if (*known || !is_sequence(x, container)) return true;
  const Py_ssize_t count = item_count(x, container);
  const ScanCapture* const scan = x.scan_of(turn);
  if (!scan || count > kMostItems || !scan->stays_within(turn, sym_int(count))) return true;
  SymRef index;
  if (!number_of_turn(x, turn, &index)) return false;
  index->at_least = 0;
  index->at_most = count - 1;
  const std::vector<SymRef> items = *x.heap().items(container);
  for (const SymRef& item : items)
    if (item->kind == SymKind::kLazy && !x.look_number(item)) return false;
  return computed_item(x, index, items, out, known);
}

bool sequence_subscript(Executor& x, const SymRef& container, const SymRef& given, SymRef* out) {
  SymRef key;
  if (SymRef item = open_item(x, container, given)) return *out = std::move(item), true;
  if (!plain_key(x, given, &key)) return false;
  if (is_slice(key)) return slice_items(x, container, key, out);
  if (key->is_tensor()) return choose_item(x, container, key, out);
  Py_ssize_t index;
  if (!index_value(key, &index))
    return x.fail(BreakReason::kUnsupported, "index " + describe(*key));
  const Py_ssize_t size = item_count(x, container);
  if (index < 0) index += size;
  if (index < 0 || index >= size)
    return x.raise_new(PyExc_IndexError,
                       is_list(container) ? "list index out of range" : "tuple index out of range");
  return *out = item_at(x, container, index), true;
}

Ref sequence_to_python(Executor& x, const SymRef& value, int depth) {
  const bool list = is_list(value);
  const std::vector<SymRef> items = value->items;
  const Py_ssize_t size = static_cast<Py_ssize_t>(items.size());
  Ref made = allocated(Ref::steal(list ? PyList_New(size) : PyTuple_New(size)));
  for (Py_ssize_t i = 0; i < size; ++i) {
    Ref item = to_python(x, items[i], depth + 1);
    if (!item) return {};
    if (list)
      PyList_SET_ITEM(made.get(), i, item.release());
    else
      PyTuple_SET_ITEM(made.get(), i, item.release());
  }
  return made;
}

SymRef sequence_join(Joiner& joiner, const SymRef& a, const SymRef& b) {
  if (a->items.size() != b->items.size()) return nullptr;
  SymRef value = make_sym(a->kind);
  value->cls = a->cls;
  for (size_t i = 0; i < a->items.size(); ++i) {
    SymRef item = joiner.join(a->items[i], true, b->items[i], true);
    if (!item) return nullptr;
    value->items.push_back(std::move(item));
  }
  return value;
}

SymRef sequence_join_one(Joiner& joiner, int side, const SymRef& value) {
  SymRef copy = make_sym(value->kind);
  copy->cls = value->cls;
  for (const SymRef& item : value->items) {
    SymRef part = joiner.one_sided(side, item);
    if (!part) return nullptr;
    copy->items.push_back(std::move(part));
  }
  return copy;
}

}  // namespace msjit
