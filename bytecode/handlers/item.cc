// Subscripts and unpacking.
#include <fmt/core.h>

#include "bytecode/scan_capture.h"
#include "bytecode/values/value_kind.h"
#include "bytecode/versions/version.h"

namespace msjit {

bool Executor::look_fixed(const SymRef& value) {
  if (!look(value)) return false;
  if (value->kind != SymKind::kSlice && (value->kind != SymKind::kTuple || value->cls)) return true;
  for (const SymRef& part : value->items)
    if (part->kind == SymKind::kSize && !look(part)) return false;
  return true;
}

bool Executor::subscript(const SymRef& container, const SymRef& key, SymRef* out) {
  if (has_turn(key)) [[unlikely]]
    return scan_row(container, key, out);
  const ValueKind& unread = kind_of(container);
  if (unread.asked_unread && unread.subscript) return unread.subscript(*this, container, key, out);
  if (!look(container) || !look_open(key)) return false;
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

bool change_item(Executor& x, const SymRef& container, const SymRef& key, const SymRef& value) {
  if (!x.look(container) || !x.look_fixed(key)) return false;
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
