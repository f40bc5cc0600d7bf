// Slices of one row in the body of a Scan: x[:, t:t + 1] is the row x[:, t] with an axis of size 1.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "kernels/core/words.h"

namespace msjit {
namespace {

bool is_slice_of_turns(const SymRef& key) {
  return key->kind == SymKind::kSlice && std::ranges::any_of(key->items, [](const SymRef& part) {
           return part->kind == SymKind::kTurn;
         });
}

// The axis of the slice and the key with the turn itself in its place.
struct Place {
  int axis = 0;
  SymRef turn, key;
};

// False, and failed: it may be another number of rows, or there are other indices.
bool find_place(Executor& x, const SymRef& tensor, const SymRef& key, Place* out) {
  if (!tensor->is_tensor())
    return x.fail(BreakReason::kUnsupported, "a slice of " + describe(*tensor));
  std::vector<SymRef> items = key->kind == SymKind::kTuple ? key->items : std::vector<SymRef>{key};
  const auto at = std::ranges::find_if(items, is_slice_of_turns);
  const SymRef start = (*at)->items[0], stop = (*at)->items[1];
  const auto refuse = [&] {
    return x.fail(BreakReason::kUnsupported, "a slice between numbers of loop turns");
  };
  if (!std::all_of(items.begin(), at, is_whole_slice) ||
      !std::all_of(at + 1, items.end(), is_whole_slice))
    return refuse();
  out->axis = static_cast<int>(at - items.begin());
  ScanCapture* const scan = x.scan_of(start);
  if (!scan || !(*at)->items[2]->is_const(Py_None) || out->axis >= tensor->tensor.rank() ||
      !scan->follows(start, stop) ||
      !scan->stays_within(start, x.sizes().dims(tensor->tensor)[size_t(out->axis)]))
    return refuse();
  out->turn = *at = start;
  out->key = items.size() == 1 ? start : make_items(SymKind::kTuple, std::move(items));
  return true;
}

bool took(Executor& x, const Val& moved, SymRef* out) {
  if (Status status = x.sink().take_error(); !status.ok()) return x.fail_op(std::move(status));
  return *out = make_tensor(moved), true;
}

}  // namespace

bool has_turn_slice(const SymRef& key) {
  return is_slice_of_turns(key) || (key->kind == SymKind::kTuple && !key->cls &&
                                    std::ranges::any_of(key->items, is_slice_of_turns));
}

bool read_turn_slice(Executor& x, const SymRef& tensor, const SymRef& key, SymRef* out) {
  Place place;
  return x.look(tensor) && find_place(x, tensor, key, &place) &&
         x.subscript(tensor, place.key, out) &&
         took(x, words::expand_dims((*out)->tensor, place.axis), out);
}

bool write_turn_slice(Executor& x, const SymRef& tensor, const SymRef& key, SymRef value) {
  Place place;
  if (!x.look(tensor) || !find_place(x, tensor, key, &place) || !value || !x.look_number(value))
    return false;
  const int rank = value->is_tensor() ? value->tensor.rank() : 0;
  const int axis = rank - tensor->tensor.rank() + place.axis;
  if (axis >= 0 && rank > 0) {
    const SizeExpr size = Sizes::expr(x.sizes().dims(value->tensor)[size_t(axis)]);
    if (!size || !x.sizes().decide(SizeCompare::kEqual, size, size_const(1)))
      return x.fail(BreakReason::kRaises, "a store of several rows to one");
    if (!took(x, words::squeeze(value->tensor, {axis}), &value)) return false;
  }
  return x.set_item(tensor, place.key, value);
}

}  // namespace msjit
