// Subscripts and unpacking.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/handlers/building.h"
#include "bytecode/scan_capture.h"
#include "bytecode/stepping.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/sequence.h"
#include "bytecode/values/turn_table.h"
#include "bytecode/values/value_kind.h"
#include "bytecode/versions/version.h"
#include "guards/py/host_call.h"

namespace msjit {

bool Executor::look_fixed(const SymRef& value) {
  if (!look(value)) return false;
  if (value->kind != SymKind::kSlice && (value->kind != SymKind::kTuple || value->cls)) return true;
  for (const SymRef& part : value->items)
    if (part->kind == SymKind::kSize && !look(part)) return false;
  return true;
}

namespace {

bool is_number_index(const SymRef& key) {
  return (key->kind == SymKind::kScalar || key->kind == SymKind::kComputed ||
          key->kind == SymKind::kTurnTable) &&
         type_of(*key) == &PyLong_Type;
}

// Ints that tensors give index a tensor as tensors.
bool index_by_numbers(Executor& x, const SymRef& container, const SymRef& key, SymRef* out) {
  *out = key;
  const bool tuple = key->kind == SymKind::kTuple && !key->cls;
  if (tuple ? std::ranges::none_of(key->items, is_number_index) : !is_number_index(key))
    return true;
  if (!x.look(container)) return false;
  if (!container->is_tensor()) return true;
  if (!tuple) return index_of_number(x, key, out);
  std::vector<SymRef> parts = key->items;
  for (SymRef& part : parts)
    if (!index_of_number(x, SymRef(part), &part)) return false;
  return *out = make_items(SymKind::kTuple, std::move(parts)), true;
}

}  // namespace

bool Executor::subscript(const SymRef& container, const SymRef& given, SymRef* out) {
  if (has_turn(given)) [[unlikely]]
    return scan_row(container, given, out);
  if (has_turn_slice(given)) return read_turn_slice(*this, container, given, out);
  SymRef key;
  bool known = false;
  if (given->kind == SymKind::kTurnTable && !item_by_turn(*this, container, given, out, &known))
      [[unlikely]]
    return false;
  if (known) return true;
  if (!index_by_numbers(*this, container, given, &key)) return false;
  const ValueKind& unread = kind_of(container);
  if (unread.asked_unread && unread.subscript) return unread.subscript(*this, container, key, out);
  if (!look(container) || !pick_item(*this, container, key, out, &known)) return false;
  if (known) return true;
  if (!look_open(key)) return false;
  const auto read = kind_of(container).subscript;
  return read ? read(*this, container, key, out)
              : fail(BreakReason::kUnsupported, "index of " + describe(*container));
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

bool change_item(Executor& x, const SymRef& container, SymRef key, const SymRef& value) {
  if (!x.look(container)) return false;
  if (has_turn_slice(key)) return write_turn_slice(x, container, key, value);
  if (container->is_tensor() && has_turn(key) && !x.turns_as_tensors(key, &key)) return false;
  if (!index_by_numbers(x, container, SymRef(key), &key)) return false;
  if (!x.look_fixed(key)) return false;
  const auto change = kind_of(container).set_item;
  return change ? change(x, container, key, value)
                : x.fail(BreakReason::kMutation, "an item of " + describe(*container));
}

}  // namespace

bool Executor::set_item(const SymRef& container, const SymRef& key, const SymRef& value) {
  return change_item(*this, container, key, value);
}

bool Executor::del_item(const SymRef& container, const SymRef& key) {
  return change_item(*this, container, key, nullptr);
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
    // Takes one item more than asked for, to see that there is none.
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

Step step_subscr(const Stepping& s) {
  const Ref key = s.frame.pop();
  const Ref container = s.frame.pop();
  return s.push(
      Ref::steal(host::call(host::program, PyObject_GetItem, container.get(), key.get())));
}

Step step_store_subscr(const Stepping& s) {
  const Ref key = s.frame.pop();
  const Ref container = s.frame.pop();
  const Ref value = s.frame.pop();
  return s.done(
      host::call(host::program, PyObject_SetItem, container.get(), key.get(), value.get()));
}

Step step_delete_subscr(const Stepping& s) {
  const Ref key = s.frame.pop();
  const Ref container = s.frame.pop();
  return s.done(host::call(host::program, PyObject_DelItem, container.get(), key.get()));
}

namespace {

int unpack_failed(int expected, int after, Py_ssize_t got) {
  if (PyErr_Occurred()) return -1;
  if (after < 0)
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %d, got %zd)", expected,
                 got);
  else
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %zd)",
                 expected + after, got);
  return -1;
}

// Takes `before` items off the iterator of `iterable`. Then it takes nothing more (after < 0), or
// the rest: a list without its last `after` items, and these items. `out` receives all in order.
int unpack(PyObject* iterable, int before, int after, std::vector<Ref>& out) {
  const Ref iterator = Ref::steal(host::call(host::program, PyObject_GetIter, iterable));
  if (!iterator) return -1;
  for (int i = 0; i < before; i++) {
    Ref item = Ref::steal(host::call(host::program, PyIter_Next, iterator.get()));
    if (!item) return unpack_failed(before, after, i);
    out.push_back(std::move(item));
  }
  if (after < 0) {
    const Ref extra = Ref::steal(host::call(host::program, PyIter_Next, iterator.get()));
    if (!extra) return PyErr_Occurred() ? -1 : 0;
    const std::string text =
        version::too_many_values(before, version::has_known_size(Py_TYPE(iterable))
                                             ? host::call(host::program, PyObject_Size, iterable)
                                             : -1);
    PyErr_SetString(PyExc_ValueError, text.c_str());
    return -1;
  }
  Ref rest = Ref::steal(host::call(host::program, PySequence_List, iterator.get()));
  if (!rest) return -1;
  const Py_ssize_t size = PyList_GET_SIZE(rest.get());
  if (size < after) return unpack_failed(before, after, before + size);
  PyObject* list = rest.get();
  out.push_back(std::move(rest));
  for (Py_ssize_t i = size - after; i < size; i++)
    out.push_back(Ref::share(PyList_GET_ITEM(list, i)));
  return PyList_SetSlice(list, size - after, size, nullptr);
}

}  // namespace

Step step_unpack(const Stepping& s) {
  if (!is_iterable(s.frame.peek(1).get())) return s.hand_over();
  const Ref sequence = s.frame.pop();
  const bool star = s.instr.op == Op::kUnpackEx;
  std::vector<Ref> items;
  const int before = star ? s.instr.arg & 0xFF : s.instr.arg;
  if (unpack(sequence.get(), before, star ? s.instr.arg >> 8 : -1, items) < 0) return s.raised();
  while (!items.empty()) {
    s.frame.push(std::move(items.back()));
    items.pop_back();
  }
  return s.next();
}

}  // namespace msjit
