#include "bytecode/shared_tensors.h"

#include <algorithm>

#include "bytecode/tensor_write.h"
#include "kernels/core/registry.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

constexpr int64_t kMostElements = int64_t{1} << 26;

bool is_view(const Node& node) {
  return node.kind == NodeKind::kOp && !node.is_control() && node.op->has(kView);
}

bool is_reshape(const Node& view) {
  const std::string_view op(view.op->name);
  return op == "reshape" || op == "flatten";
}

// `base` with `part` in place of its elements [from, from + count) along the axis.
Val update_along(const Val& base, const Val& part, int axis, int64_t from, int64_t count) {
  const Shape whole = base.shape();
  IntList begin, end, step;
  for (int d = 0; d < whole.rank(); ++d) {
    begin.push_back(d == axis ? from : 0);
    end.push_back(d == axis ? from + count : whole[d]);
    step.push_back(1);
  }
  Shape slot = whole;
  slot[axis] = count;
  static const OpDef* const update = find_op("slice_update");
  return call(*update, {base, words::reshape(part, slot)},
              Attrs{AttrValue(begin), AttrValue(end), AttrValue(step)});
}

Val put_back_transposed(const Node& view, const Val& part) {
  const IntList& order = view.attrs[0].as_list();
  IntList inverse;
  inverse.resize(order.size());
  for (uint32_t d = 0; d < order.size(); ++d) {
    const int64_t axis = order[d] < 0 ? order[d] + static_cast<int64_t>(order.size()) : order[d];
    inverse[static_cast<uint32_t>(axis)] = d;
  }
  return words::transpose(part, inverse);
}

int axis_in(const Val& base, int64_t axis) {
  return static_cast<int>(axis < 0 ? axis + base.rank() : axis);
}

Val put_back_split(const Node& view, int output, const Val& base, const Val& part) {
  const IntList& sections = view.attrs[0].as_list();
  int64_t from = 0;
  for (int i = 0; i < output; ++i) from += sections[static_cast<uint32_t>(i)];
  return update_along(base, part, axis_in(base, view.attrs[1].as_int()), from,
                      sections[static_cast<uint32_t>(output)]);
}

Val put_back_row(const Val& base, const Val& part, int64_t axis, int64_t index) {
  const int at = axis_in(base, axis);
  return update_along(base, part, at, index < 0 ? index + base.shape()[at] : index, 1);
}

Val put_back_item(const Node& view, const Val& base, const Val& part) {
  Vals inputs{base, part};
  for (size_t i = 1; i < view.inputs.size(); ++i) inputs.emplace_back(base.sink(), view.inputs[i]);
  static const OpDef* const update = find_op("index_update");
  return call_in(base.sink(), *update, inputs, Attrs{view.attrs[0], AttrValue(false)});
}

// What the tensor `base` holds when `part` is written to this output of a view of it. An empty
// value: that cannot be told.
Val put_back(const Node& view, int output, const Val& base, const Val& part) {
  const std::string_view op(view.op->name);
  const Attrs& attrs = view.attrs;
  if (op == "select_at") return put_back_item(view, base, part);
  if (op == "identity") return part;
  if (is_reshape(view) || op == "expand_dims" || op == "squeeze")
    return words::reshape(part, base.shape());
  if (op == "transpose") return put_back_transposed(view, part);
  if (op == "swapaxes") return call(*view.op, {part}, attrs);
  if (op == "slice") return call(*find_op("slice_update"), {base, part}, attrs);
  if (op == "select_index") return put_back_row(base, part, attrs[1].as_int(), attrs[0].as_int());
  if (op == "unstack") return put_back_row(base, part, attrs[0].as_int(), output);
  if (op == "split") return put_back_split(view, output, base, part);
  return {};
}

// The tensor of the program that has this value now; null: none.
SymRef program_tensor(Executor& x, ValueId id) {
  for (const SymRef& value : x.heap().tensors())
    if (value->is_tensor() && value->tensor.id() == id) return value;
  return nullptr;
}

}  // namespace

TensorVec eager_views(const Node& view, const Tensor& source) {
  TensorVec views;
  std::vector<Tensor> inputs{source};
  while (inputs.size() < view.inputs.size()) inputs.push_back(Tensor::scalar<int64_t>(0));
  if (!run_op_untracked(*view.op, inputs, view.attrs, &views).ok()) views.clear();
  return views;
}

bool lay_out_owner(const Meta& meta, Tensor* out) {
  if (meta.shape.numel() > kMostElements) return false;
  auto made = Tensor::empty(meta.dtype, meta.shape);
  return made.ok() && (*out = made.take(), true);
}

bool SharedTensors::find_owner(ValueId id) {
  const Graph& graph = *x_.sink().graph();
  for (;; id = graph.producer(id).inputs[0]) {
    if (!path_.empty() && (program_owner_ = program_tensor(x_, id))) break;
    const Node& node = graph.producer(id);
    if (node.kind != NodeKind::kOp || node.is_control()) return false;
    if (makes_memory(graph, node)) break;
    if (!is_view(node)) return false;
    path_.push_back(id);
  }
  owner_ = id;
  return lay_out_owner(graph.meta(id), &layouts_[id]);
}

// A view of eager code may be a copy, as a reshaped transpose is. That shows in its storage. For a
// tensor of the program, whose strides are not known, only what is a view with all strides counts.
bool SharedTensors::find_views() {
  const Graph& graph = *x_.sink().graph();
  const StorageImpl* const memory = layouts_[owner_].storage().get();
  for (auto n = static_cast<size_t>(graph.values[owner_].node) + 1; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const auto shares = [&](ValueId id) { return layouts_.count(id) != 0; };
    if (node.is_control() && std::ranges::any_of(node.inputs, shares)) return false;
    if (!is_view(node) || !shares(node.inputs[0])) continue;
    if (program_owner_ && is_reshape(node)) continue;
    const TensorVec views = eager_views(node, Tensor(layouts_[node.inputs[0]]));
    if (static_cast<int32_t>(views.size()) != node.num_outputs) return false;
    for (int32_t i = 0; i < node.num_outputs; ++i)
      if (const Tensor& view = views[static_cast<uint32_t>(i)]; view.storage().get() == memory)
        layouts_[node.first_output + i] = view;
  }
  return std::ranges::all_of(path_, [&](ValueId id) { return layouts_.count(id) != 0; });
}

bool SharedTensors::find_members() {
  for (const auto& [id, layout] : layouts_)
    if (x_.was_handed_on(id)) return false;
  for (const SymRef& value : x_.live_tensors()) {
    if (value->tensor.sink() != &x_.sink() || !layouts_.count(value->tensor.id())) continue;
    if (program_owner_ && value->object.is(program_owner_->object.get())) continue;
    if (value->source != kNoSource || value->joined || value->object) return false;
    members_.push_back(value);
  }
  return true;
}

bool SharedTensors::find(const SymRef& tensor) {
  return !x_.is_forked_now() && tensor->is_tensor() && find_owner(tensor->tensor.id()) &&
         find_views() && find_members();
}

// The value that `id` is now that the owner of the memory has another content.
Val SharedTensors::derived(ValueId id, const Val& owner) {
  if (id == owner_) return owner;
  if (const auto known = derived_.find(id); known != derived_.end()) return known->second;
  const Node node = x_.sink().graph()->producer(id);
  Vals inputs{derived(node.inputs[0], owner)};
  for (size_t i = 1; i < node.inputs.size(); ++i) inputs.push_back(x_.sink().value(node.inputs[i]));
  const Vals views = call_multi(&x_.sink(), *node.op, inputs, node.attrs);
  for (uint32_t i = 0; i < views.size(); ++i)
    derived_[node.first_output + static_cast<ValueId>(i)] = views[i];
  return derived_[id];
}

bool SharedTensors::write(Val content, bool recorded) {
  GraphSink& sink = x_.sink();
  x_.sizes().specialise_shape(sink.value(owner_));
  for (const SymRef& member : members_) x_.sizes().specialise_shape(member->tensor);
  for (ValueId id : path_) {
    const Node view = sink.graph()->producer(id);
    content = put_back(view, id - view.first_output, sink.value(view.inputs[0]), content);
    if (!content) return false;
  }
  if (!makes_memory(*sink.graph(), sink.graph()->producer(content.id())))
    content = call(op_copy, {content});
  if (!sink.take_error().ok()) return false;
  if (program_owner_) {
    if (!write_unrecorded(x_, "a write to a view") ||
        !write_tensor(x_, program_owner_, content, false, false))
      return false;
    content = program_owner_->tensor;
  }
  std::vector<Val> values;
  for (const SymRef& member : members_) values.push_back(derived(member->tensor.id(), content));
  if (!sink.take_error().ok()) return false;
  const auto made = static_cast<int32_t>(sink.graph()->nodes.size());
  if (!program_owner_) x_.heap().overwritten().push_back({owner_, made, x_.root_step(), recorded});
  for (size_t i = 0; i < members_.size(); ++i) x_.renew(members_[i], values[i]);
  return true;
}

}  // namespace msjit
