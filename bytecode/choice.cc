// Items of a list or tuple that a tensor indexes. If all items are tensors, the result is a chain
// of Ifs, one for each item but the last. Other objects wait as a kChoice, whose `items` are the
// position and the objects. A call of it calls each object in an arm of its own.
#include <fmt/core.h>

#include "bytecode/control.h"
#include "bytecode/tensor_value.h"
#include "graph/control.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

constexpr size_t kMostItems = 48;

// The tensor [0, 1, 2, ...].
Result<Tensor> places(size_t count) {
  MSJIT_TRY(Tensor all, Tensor::empty(DType::kInt64, Shape{static_cast<int64_t>(count)}));
  for (size_t i = 0; i < count; ++i) all.data_as<int64_t>()[i] = static_cast<int64_t>(i);
  return all;
}

bool apply(Executor& x, const char* op, std::vector<Val> inputs, AttrValue attr, SymRef* out) {
  Attrs attrs;
  attrs.push_back(std::move(attr));
  return x.apply(*find_op(op), inputs, attrs, out);
}

// The position that the key means, counted from 0. Computing it fails where CPython raises
// IndexError.
bool position_of(Executor& x, const SymRef& key, size_t count, SymRef* out) {
  SymRef number, flat;
  Result<Tensor> all = places(count);
  if (!all.ok()) return x.fail(BreakReason::kInternal, all.error().message);
  if (!number_of_tensor(x, key, &PyLong_Type, &number) ||
      !apply(x, "cast", {key->tensor}, AttrValue(DType::kInt64), &flat) ||
      !apply(x, "reshape", {flat->tensor}, AttrValue(IntList()), &flat) ||
      !apply(x, "index", {x.sink().constant(all.take()), flat->tensor}, AttrValue(IntList{0}), out))
    return false;
  return number_of_tensor(x, *out, &PyLong_Type, &number) && (x.add_demand(number), true);
}

}  // namespace

bool choose_tensor(Executor& x, const SymRef& wins, const SymRef& first, const SymRef& second,
                   SymRef* out) {
  SymRef number, position;
  if (!number_of_tensor(x, wins, &PyBool_Type, &number) ||
      !apply(x, "cast", {wins->tensor}, AttrValue(DType::kInt64), &position) ||
      !apply(x, "reshape", {position->tensor}, AttrValue(IntList()), &position))
    return false;
  const auto take = [](const SymRef& item, SymRef* taken) { return *taken = item, true; };
  return x.choose(position, {first, second}, 0, take, out);
}

bool choose_item(Executor& x, const SymRef& sequence, const SymRef& key, SymRef* out) {
  const std::vector<SymRef> items = *x.heap().items(sequence);
  const DType dtype = key->tensor.dtype();
  if (items.empty() || (!is_integer(dtype) && !is_bool(dtype)))
    return x.fail(BreakReason::kRaises, fmt::format("index by a {} tensor", dtype_name(dtype)));
  if (items.size() > kMostItems || x.in_arm())  // a failing arm would fail the whole region
    return x.fail(BreakReason::kUnsupported, "index tensor");
  bool tensors = true;
  for (const SymRef& item : items) {
    if (!x.look(item)) return false;
    tensors &= item->is_tensor();
  }
  SymRef position;
  if (!position_of(x, key, items.size(), &position)) return false;
  if (tensors) {
    const auto take = [](const SymRef& item, SymRef* taken) { return *taken = item, true; };
    return x.choose(position, items, 0, take, out);
  }
  SymRef choice = make_items(SymKind::kChoice, {std::move(position)});
  choice->items.insert(choice->items.end(), items.begin(), items.end());
  *out = std::move(choice);
  return true;
}

bool call_choice(Executor& x, const SymRef& choice, const std::vector<SymRef>& args,
                 PyObject* names, SymRef* out) {
  const std::vector<SymRef> items(choice->items.begin() + 1, choice->items.end());
  const auto call = [&](const SymRef& item, SymRef* result) {
    return x.call(item, args, names, result);
  };
  return x.choose(choice->items[0], items, 0, call, out);
}

bool Executor::choose(const SymRef& position, const std::vector<SymRef>& items, size_t from,
                      const ItemUse& use, SymRef* out) {
  if (from + 1 == items.size()) return use(items[from], out);
  const Val inputs[2] = {position->tensor,
                         sink_.constant(Tensor::scalar<int64_t>(static_cast<int64_t>(from)))};
  SymRef here, there, taken;
  if (!apply(*find_op("equal"), inputs, {}, &here)) return false;
  forked_ = true;
  SymFrame* const frame = current_;
  const SourceLocation place = sink_.location();
  const uint64_t mark = SymValue::next_serial();
  const int32_t first_node = static_cast<int32_t>(graph_->nodes.size());
  const int32_t first_step = sizes_.mark();
  HeapMark heap(heap_, *frame);
  ++fork_depth_;
  const size_t checks = checking_.mark();
  std::vector<int32_t> checking[2];
  const bool taken_ran = use(items[from], &taken);
  checking[0] = checking_.take(checks);
  const bool ran = taken_ran && choose(position, items, from + 1, use, &there);
  checking[1] = checking_.take(checks);
  if (!ran) {
    current_ = frame;  // a frame of the call is about to be destroyed
    if (raised_) return fail(BreakReason::kTensorBranch, "a choice raises " + raised_text_);
    return !control_->restart && reason_ != BreakReason::kTensorBranch &&
           fail(BreakReason::kTensorBranch, break_text(reason_, detail_));
  }
  if (const std::string what = heap.change(heap_); !what.empty())
    return fail(BreakReason::kTensorBranch, "a choice changes a " + what);
  --fork_depth_;
  sink_.set_location(place);
  Joiner joiner(*this, mark, first_node, first_step);
  for (int side : {0, 1}) joiner.note_checking(side, std::move(checking[side]));
  *out = joiner.join(taken, true, there, true);
  if (!*out) return fail(BreakReason::kTensorBranch, "its result is " + joiner.why);
  Status status = joiner.finish(here->tensor);
  return status.ok() || fail(BreakReason::kTensorBranch, status.error().message);
}

}  // namespace msjit
