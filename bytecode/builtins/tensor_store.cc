// x[...] = value. A tensor that the region has made gets a new value, which nothing else sees. A
// tensor of the program does too, and is written at the region's exit (tensor_write.h).
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/known_arrays.h"
#include "bytecode/tensor_write.h"
#include "guards/py/convert.h"
#include "kernels/core/index_plan.h"
#include "kernels/core/registry.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_copy;

// tensor_index.cc
bool index_items(Executor& x, const Val& from, const SymRef& key, std::vector<IndexItem>* items,
                 std::vector<Val>* tensors);
bool index_axes(const IndexPlan& plan, IntList* axes, std::vector<int>* tensors);

namespace {

bool refuse(Executor& x) { return x.fail(BreakReason::kInPlace, "x[...] = value"); }

// Most stores are stated for these very sizes. Numbers stay open.
void fix_shape(Executor& x, const SymRef& tensor) {
  if (tensor->is_tensor()) x.sizes().specialise_shape(tensor->tensor);
}

// Whether all ops given to the sink so far were accepted.
bool took(Executor& x) { return x.sink().take_error().ok(); }

// The value as a tensor of the target's dtype. Leading dimensions of size one are dropped where
// there are too many.
bool stored_value(Executor& x, const SymRef& value, DType dtype, int most, Val* out) {
  if (!x.look_number(value)) return false;
  if (value->kind == SymKind::kList || value->kind == SymKind::kTuple || is_array(value)) {
    const Ref known = is_array(value) ? value->object : to_python(x, value);
    Tensor made;
    if (!known) return refuse(x);
    if (!operand_from_object(known.get(), "setitem", &made)) return PyErr_Clear(), refuse(x);
    *out = x.sink().constant(std::move(made));
  } else if (!x.to_val(value, out)) {
    return false;
  }
  Shape shape = out->shape();
  while (shape.rank() > most && shape[0] == 1) shape.erase(0);
  if (shape.rank() > most) return refuse(x);
  if (shape.rank() != out->rank()) *out = words::reshape(*out, shape);
  *out = words::cast(*out, dtype);
  return took(x) || refuse(x);
}

// A store under a mask is where(mask, value, target). The value must be the same for all places, so
// that they need no counting.
bool masked(Executor& x, const Val& target, const Val& mask, const SymRef& value, Val* out) {
  const Shape whole = target.shape(), where = mask.shape();
  if (where.rank() == 0 || where.rank() > whole.rank()) return refuse(x);
  for (int d = 0; d < where.rank(); ++d)
    if (where[d] != whole[d]) return refuse(x);
  Shape wide = where, rest;
  for (int d = where.rank(); d < whole.rank(); ++d) wide.push_back(1), rest.push_back(whole[d]);
  Val source;
  if (!stored_value(x, value, target.dtype(), rest.rank() + 1, &source)) return false;
  if (source.shape().numel() == 1) source = words::reshape(source, Shape());
  if (source.rank() > rest.rank()) return refuse(x);
  *out = words::where(words::reshape(mask, wide), words::broadcast_to(source, rest), target);
  return took(x) || refuse(x);
}

// Stores into a slice. The op needs a dimension for each of the target's, so dimensions that an int
// took are put back and new axes removed.
bool sliced(Executor& x, const Val& target, const IndexPlan& plan, Val source, Val* out) {
  Shape slot = plan.shape;  // the value's shape with one dimension for each of the target's
  for (size_t i = plan.new_axes.size(); i-- > 0;) slot.erase(static_cast<int>(plan.new_axes[i]));
  for (int64_t axis : plan.squeeze) slot.insert(static_cast<int>(axis), 1);
  source = words::reshape(words::broadcast_to(source, plan.shape), slot);
  Attrs attrs;
  for (const IntList& part : {plan.begin, plan.end, plan.step}) attrs.push_back(AttrValue(part));
  if (!took(x)) return refuse(x);
  const Val inputs[] = {target, source};
  *out = call_in(&x.sink(), *find_op("slice_update"), inputs, attrs);
  return took(x) || refuse(x);
}

bool indexed(Executor& x, const Val& target, const Val& source, const std::vector<Val>& tensors,
             IntList axes, Val* out) {
  std::vector<Val> inputs = {target, source};
  inputs.insert(inputs.end(), tensors.begin(), tensors.end());
  const Attrs attrs{AttrValue(std::move(axes)), AttrValue(false)};
  const auto first_node = static_cast<int32_t>(x.sink().graph()->nodes.size());
  *out = call_in(&x.sink(), *find_op("index_update"), inputs, attrs);
  x.checking().note(*x.sink().graph(), first_node);
  return took(x) || refuse(x);
}

// An index by tensors alone.
bool scattered(Executor& x, const Val& target, const IndexPlan& plan, const Val& source,
               const std::vector<Val>& tensors, Val* out) {
  IntList axes;
  std::vector<int> places;
  const bool whole = !plan.slices && plan.squeeze.empty() && plan.new_axes.empty();
  if (!whole || !index_axes(plan, &axes, &places)) return refuse(x);
  std::vector<Val> positions;
  for (int place : places) positions.push_back(tensors[place]);
  return indexed(x, target, source, positions, std::move(axes), out);
}

// An index in which tensors without axes stand beside other items: positions, as ints are, along
// some axes, and the rest of the index for the part of the target at these positions.
struct Positions {
  IntList axes;
  std::vector<Val> tensors;
  IndexPlan rest;
};

Positions find_positions(Executor& x, const Val& target, const IndexPlan& plan,
                         const std::vector<Val>& tensors) {
  Positions found;
  IndexPlan& rest = found.rest;
  uint32_t dropped = 0, added = 0;
  int place = 0;  // among the dimensions behind the basic part
  const auto add_new_axes = [&] {
    for (; added < plan.new_axes.size() && plan.new_axes[added] == place; ++added, ++place)
      rest.new_axes.push_back(rest.shape.rank()), rest.shape.push_back(1);
  };
  for (int d = 0; d < target.rank(); ++d) {
    if (dropped < plan.squeeze.size() && plan.squeeze[dropped] == d) {
      ++dropped;
      found.axes.push_back(d);
      found.tensors.push_back(x.sink().constant(Tensor::scalar<int64_t>(plan.begin[d])));
      continue;
    }
    add_new_axes();
    if (const int which = plan.tensor_of_dim[static_cast<uint32_t>(place)]; which >= 0) {
      found.axes.push_back(d);
      found.tensors.push_back(tensors[which]);
    } else {
      rest.begin.push_back(plan.begin[d]);
      rest.end.push_back(plan.end[d]);
      rest.step.push_back(plan.step[d]);
      rest.slices |= plan.begin[d] != 0 || plan.step[d] != 1 || plan.end[d] != target.shape()[d];
      rest.shape.push_back(plan.shape[place]);
    }
    ++place;
  }
  add_new_axes();
  return found;
}

bool positioned(Executor& x, const Val& target, const IndexPlan& plan, const Val& source,
                const std::vector<Val>& tensors, Val* out) {
  const Positions at = find_positions(x, target, plan, tensors);
  if (!at.rest.slices && at.rest.new_axes.empty())
    return indexed(x, target, source, at.tensors, at.axes, out);
  std::vector<Val> inputs = {target};
  inputs.insert(inputs.end(), at.tensors.begin(), at.tensors.end());
  SymRef part;
  Val changed;
  return x.apply(*find_op("select_at"), inputs, Attrs{AttrValue(at.axes)}, &part) &&
         sliced(x, part->tensor, at.rest, source, &changed) &&
         indexed(x, target, changed, at.tensors, at.axes, out);
}

// Whether an item takes all of the dimensions it stands for.
bool is_whole(const IndexItem& item) {
  using Kind = IndexItem::Kind;
  return item.kind == Kind::kEllipsis ||
         (item.kind == Kind::kSlice && !item.has_start && !item.has_stop && item.step == 1);
}

// Whether the index means the same elements whatever the sizes of the target are: positions, and
// all of other dimensions. `positions`: how many dimensions the result has not.
bool is_open(Executor& x, const Val& target, std::span<const IndexItem> items,
             std::span<const Val> tensors, int* positions) {
  using Kind = IndexItem::Kind;
  *positions = 0;
  for (const IndexItem& item : items) {
    const bool at = item.kind == Kind::kTensor || (item.kind == Kind::kInt && item.start >= 0);
    *positions += at;
    if (!at && !is_whole(item)) return false;
  }
  return *positions > 0 && (!tensors.empty() || x.sizes().is_open(target)) &&
         std::ranges::all_of(tensors, [](const Val& index) { return index.rank() == 0; });
}

// All elements.
bool replaced(Executor& x, const Val& target, const Val& value, Val* out) {
  const Val content = words::cast(value, target.dtype());
  *out = call_in(&x.sink(), op_copy, std::span(&content, 1), {});
  return took(x) || refuse(x);
}

// An empty slice: the value must fit, and the target is unchanged.
bool nothing_stored(Executor& x, const Val& target, const IndexPlan& plan, const SymRef& value,
                    Val* out) {
  Val source;
  if (plan.advanced) return refuse(x);
  if (!stored_value(x, value, target.dtype(), plan.shape.rank(), &source)) return false;
  words::broadcast_to(source, plan.shape);
  *out = target;
  return took(x) || refuse(x);
}

// The content of the target after the store.
bool stored(Executor& x, const SymRef& tensor, const SymRef& key, const SymRef& value, Val* out) {
  const Val target = tensor->tensor;
  if (!x.look(key) || !x.look_number(value)) return false;
  if (key->is_tensor() && is_bool(key->tensor.dtype())) {
    for (const SymRef& part : {tensor, key, value}) fix_shape(x, part);
    return masked(x, target, key->tensor, value, out);
  }
  std::vector<IndexItem> items;
  std::vector<Val> tensors;
  if (!index_items(x, target, key, &items, &tensors)) return false;
  if (items.size() == 1 && x.sizes().is_open(target) && is_whole(items[0]) && value->is_tensor() &&
      x.sizes().same_shape(target, value->tensor))
    return replaced(x, target, value->tensor, out);
  int positions = 0;
  const bool open = is_open(x, target, items, tensors, &positions) &&
                    (!value->is_tensor() || value->tensor.rank() + positions <= target.rank());
  if (!open) fix_shape(x, tensor);
  if (!open && value->is_tensor()) x.sizes().specialise_dims(value->tensor);
  for (const Val& index : tensors)
    if (!open) x.sizes().specialise_shape(index);
  auto planned = plan_index(target.shape(), items);
  if (!planned.ok()) return x.fail_op(planned.take_error());
  const IndexPlan& plan = planned.value();
  if (plan.shape.numel() == 0) return nothing_stored(x, target, plan, value, out);
  Val source;
  const int most = plan.advanced ? kMaxRank : plan.shape.rank();
  if (!stored_value(x, value, target.dtype(), most, &source)) return false;
  if (!plan.advanced && !open) return sliced(x, target, plan, source, out);
  const bool at_positions =
      std::ranges::all_of(tensors, [](const Val& index) { return index.rank() == 0; });
  return at_positions ? positioned(x, target, plan, source, tensors, out)
                      : scattered(x, target, plan, source, tensors, out);
}

}  // namespace

bool tensor_set_item(Executor& x, const SymRef& tensor, const SymRef& key, const SymRef& value) {
  const bool made = tensor->source == kNoSource;
  if (!made && x.strict()) return refuse(x);
  // While gradients are recorded, eager code gives a tensor of the program new memory and a
  // history.
  if (!made && !write_unrecorded(x, "x[...] = value")) return false;
  Val updated;
  if (!stored(x, tensor, key, value, &updated)) return false;
  const bool same = updated.id() == tensor->tensor.id();
  if (made && same) return true;
  if (same) return refuse(x);  // left to eager code, which may refuse to write read-only memory
  if (!made) return write_tensor(x, tensor, std::move(updated), false, false);
  return renew_stored(x, tensor, std::move(updated)) || refuse(x);
}

}  // namespace msjit
