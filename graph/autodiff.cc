#include "graph/autodiff.h"

#include <algorithm>

#include "graph/control_grad.h"
#include "graph/passes/passes.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add;

namespace {

// Copies from one graph into another whatever the asked values need; values mapped beforehand are
// taken as given.
class Extractor {
 public:
  Extractor(const Graph& from, GraphSink* to)
      : from_(from),
        to_(to),
        map_(from.values.size(), -1),
        apart_(kept_apart(from, 1)) {}  // plans compare with this graph
  void map(ValueId from, ValueId to) { map_[from] = to; }
  void need(ValueId id) { needed_.push_back(id); }
  ValueId get(ValueId id) const { return map_[id]; }

  Status run() {
    std::vector<bool> wanted(from_.nodes.size());
    for (ValueId id : needed_)
      if (map_[id] < 0) wanted[from_.values[id].node] = true;
    for (size_t n = from_.nodes.size(); n-- > 0;) {
      if (!wanted[n]) continue;
      for (ValueId id : from_.nodes[n].inputs)
        if (id >= 0 && map_[id] < 0) wanted[from_.values[id].node] = true;
    }
    for (size_t n = 0; n < from_.nodes.size(); ++n)
      if (wanted[n]) MSJIT_OK(copy(from_.nodes[n]));
    return {};
  }

 private:
  Status copy(const Node& node) {
    if (node.kind == NodeKind::kInput)
      return internal_error("[autodiff] the input {} was not kept", node.input_index);
    if (node.kind == NodeKind::kConstant) {
      map_[node.first_output] = to_->constant(node.constant).id();
      return {};
    }
    InlineVec<ValueId, 6> in;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : map_[id]);
    to_->set_merging(!apart_[node.first_output]);
    ValueId first = to_->append_like(from_, node, in);
    to_->set_merging(true);
    for (int32_t i = 0; i < node.num_outputs; ++i)
      if (map_[node.first_output + i] < 0) map_[node.first_output + i] = first + i;
    return {};
  }

  const Graph& from_;
  GraphSink* to_;
  std::vector<ValueId> map_;
  std::vector<bool> apart_;
  std::vector<ValueId> needed_;
};

bool draws_or_writes(const Node& node) {
  return node.kind == NodeKind::kOp && (!node.op->has(kPure) || node.op->has(kRandom));
}

class Differentiator {
 public:
  Differentiator(const Graph& graph, std::span<const bool> wanted)
      : graph_(graph), wanted_(wanted), joint_(std::make_shared<Graph>()), sink_(joint_) {}
  Result<GradGraphs> run();
  Result<std::shared_ptr<Graph>> run_joint(std::span<const bool> given);

 private:
  Status copy_forward();
  Result<Vals> copy_node(const Node& node, const Vals& in);
  void seed_outputs();
  void find_active();
  Status walk_back();
  Status differentiate_node(size_t n);
  Status add_grad(ValueId id, const Val& grad);
  Status finish_grads();
  std::vector<ValueId> required_values() const;
  Status build_forward();
  Status build_backward(std::span<const ValueId> kept);
  Residual classify(ValueId kept);

  const Graph& graph_;
  std::span<const bool> wanted_;
  std::shared_ptr<Graph> joint_;
  GraphSink sink_;
  std::vector<ValueId> outputs_;      // of the original graph, in the joint one
  size_t num_forward_ = 0;            // joint nodes before any gradient
  std::vector<bool> active_;          // per forward value: depends on a wanted input
  std::vector<ValueId> grad_inputs_;  // one for each of result_.grad_outputs
  Vals grads_;                        // per forward value; invalid = none arrived
  std::vector<ValueId> grad_values_;  // one a wanted input
  std::vector<ValueId> extras_;
  GradGraphs result_;
};

// Ops without a rule of their own are expanded, so that their parts can be differentiated.
Result<Vals> Differentiator::copy_node(const Node& node, const Vals& in) {
  if (node.is_control()) {
    std::vector<ValueId> ids;
    for (const Val& value : in) ids.push_back(value.id());
    const ValueId first = sink_.append_like(graph_, node, ids);
    Vals out;
    for (int32_t i = 0; i < node.num_outputs; ++i) out.push_back(sink_.value(first + i));
    return out;
  }
  if (node.op->vjp || node.op->has(kNoGrad) || !node.op->composite)
    return sink_.apply(*node.op, in, node.attrs);
  Vals out = node.op->composite(&sink_, in, node.attrs);
  MSJIT_OK(sink_.take_error());
  return out;
}

Status Differentiator::copy_forward() {
  Vals env(graph_.values.size());
  const std::vector<bool> apart = kept_apart(graph_, 1);
  for (ValueId id : graph_.inputs) env[id] = sink_.input(graph_.meta(id));
  for (const Node& node : graph_.nodes) {
    if (node.kind == NodeKind::kInput) continue;
    if (node.kind == NodeKind::kConstant) {
      env[node.first_output] = sink_.constant(node.constant);
      continue;
    }
    Vals in;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? Val() : env[id]);
    sink_.set_location(node.location);
    sink_.set_merging(!apart[node.first_output]);
    MSJIT_TRY(Vals out, copy_node(node, in));
    sink_.set_merging(true);
    if (static_cast<int32_t>(out.size()) < node.num_outputs)
      return internal_error("[autodiff] number of outputs of {}, got {}, expected {}",
                            node.op->name, out.size(), node.num_outputs);
    for (int32_t i = 0; i < node.num_outputs; ++i) env[node.first_output + i] = out[i];
  }
  for (ValueId id : graph_.outputs) outputs_.push_back(env[id].id());
  num_forward_ = joint_->nodes.size();
  return {};
}

void Differentiator::find_active() {
  active_.assign(joint_->values.size(), false);
  for (size_t n = 0; n < num_forward_; ++n) {
    const Node& node = joint_->nodes[n];
    bool active = false;
    if (node.kind == NodeKind::kInput) {
      active = wanted_[node.input_index];
    } else if (node.kind == NodeKind::kOp && !node.op->has(kNoGrad)) {
      // No gradient flows through a condition.
      for (size_t i = is_if(node) ? 1 : 0; i < node.inputs.size(); ++i)
        active |= node.inputs[i] >= 0 && active_[node.inputs[i]];
    }
    for (int32_t i = 0; i < node.num_outputs; ++i)
      active_[node.first_output + i] =
          active && is_float(joint_->meta(node.first_output + i).dtype);
  }
}

void Differentiator::seed_outputs() {
  grads_.resize(active_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!active_[outputs_[i]]) continue;
    Meta meta = joint_->meta(outputs_[i]);
    meta.weak = false;
    Val seed = sink_.input(meta);
    result_.grad_outputs.push_back(static_cast<int>(i));
    grad_inputs_.push_back(seed.id());
  }
}

Status Differentiator::add_grad(ValueId id, const Val& grad) {
  if (!grad || !active_[id]) return {};
  if (!grads_[id]) {
    grads_[id] = grad;
    return {};
  }
  grads_[id] = call(op_add, {grads_[id], grad});
  return sink_.take_error();
}

Status Differentiator::differentiate_node(size_t n) {
  Vals inputs, outputs, output_grads;
  bool arrived = false;
  for (int32_t i = 0; i < joint_->nodes[n].num_outputs; ++i) {
    ValueId id = joint_->nodes[n].first_output + i;
    outputs.push_back(sink_.value(id));
    output_grads.push_back(grads_[id]);
    arrived |= static_cast<bool>(grads_[id]);
  }
  if (!arrived) return {};
  const Node& node = joint_->nodes[n];
  if (!node.op->vjp && !node.is_control())
    return not_implemented_error("[backward] {} has no gradient rule", node.op->name);
  InlineVec<bool, 8> wanted;
  for (ValueId id : node.inputs) {
    inputs.push_back(id < 0 ? Val() : sink_.value(id));
    wanted.push_back(id >= 0 && active_[id]);
  }
  sink_.set_location(node.location);
  Vals input_grads;
  if (node.is_control()) {
    MSJIT_TRY(input_grads, control_vjp(sink_, node, output_grads, {wanted.data(), wanted.size()}));
  } else {
    Vjp vjp{&sink_,  node.op,      node.attrs, inputs,
            outputs, output_grads, wanted,     Vals(inputs.size())};
    node.op->vjp(vjp);
    MSJIT_OK(sink_.take_error());
    input_grads = std::move(vjp.input_grads);
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (wanted[i]) MSJIT_OK(add_grad(joint_->nodes[n].inputs[i], input_grads[i]));
  return {};
}

Status Differentiator::walk_back() {
  for (size_t i = 0; i < result_.grad_outputs.size(); ++i)
    MSJIT_OK(add_grad(outputs_[result_.grad_outputs[i]], sink_.value(grad_inputs_[i])));
  for (size_t n = num_forward_; n-- > 0;)
    if (joint_->nodes[n].kind == NodeKind::kOp) MSJIT_OK(differentiate_node(n));
  return {};
}

// One value a wanted input; zeros where nothing arrived.
Status Differentiator::finish_grads() {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    if (!wanted_[i]) continue;
    ValueId id = joint_->inputs[i];
    Val grad = grads_[id];
    if (!grad) {
      const Meta& meta = joint_->meta(id);
      grad = sink_.constant(Tensor::scalar_of(meta.dtype, 0));
      if (meta.shape.rank() > 0) grad = words::broadcast_to(grad, meta.shape);
      MSJIT_OK(sink_.take_error());
    }
    result_.wanted.push_back(static_cast<int>(i));
    grad_values_.push_back(grad.id());
  }
  return {};
}

// What the gradients read that does not itself depend on an incoming gradient.
std::vector<ValueId> Differentiator::required_values() const {
  std::vector<bool> backward(joint_->values.size()), wanted(joint_->values.size());
  for (ValueId id : grad_inputs_) backward[id] = true;
  for (const Node& node : joint_->nodes) {
    bool depends = false;
    for (ValueId id : node.inputs) depends |= id >= 0 && backward[id];
    for (int32_t i = 0; depends && i < node.num_outputs; ++i)
      backward[node.first_output + i] = true;
  }
  for (ValueId id : grad_values_) wanted[id] = true;
  for (size_t n = joint_->nodes.size(); n-- > 0;) {
    const Node& node = joint_->nodes[n];
    bool used = false;
    for (int32_t i = 0; i < node.num_outputs; ++i)
      used |= wanted[node.first_output + i] && backward[node.first_output + i];
    if (!used) continue;
    for (ValueId id : node.inputs)
      if (id >= 0) wanted[id] = true;
  }
  std::vector<ValueId> required;
  for (size_t v = 0; v < wanted.size(); ++v)
    if (wanted[v] && !backward[v]) required.push_back(static_cast<ValueId>(v));
  return required;
}

Residual Differentiator::classify(ValueId kept) {
  const Node& node = joint_->producer(kept);
  if (node.kind == NodeKind::kInput) return {Residual::From::kInput, node.input_index};
  auto output = std::find(outputs_.begin(), outputs_.end(), kept);
  if (output != outputs_.end())
    return {Residual::From::kOutput, static_cast<int>(output - outputs_.begin())};
  extras_.push_back(kept);
  return {Residual::From::kExtra, static_cast<int>(extras_.size()) - 1};
}

Status Differentiator::build_forward() {
  auto forward = std::make_shared<Graph>();
  forward->name = graph_.name + ".forward";
  GraphSink sink(forward);
  Extractor extract(*joint_, &sink);
  for (size_t i = 0; i < graph_.inputs.size(); ++i)
    extract.map(joint_->inputs[i], sink.input(joint_->meta(joint_->inputs[i])).id());
  for (ValueId id : outputs_) extract.need(id);
  for (ValueId id : extras_) extract.need(id);
  // Draws stay even when unused: later ones must get the numbers they would have got.
  for (size_t n = 0; n < num_forward_; ++n)
    if (draws_or_writes(joint_->nodes[n])) extract.need(joint_->nodes[n].first_output);
  MSJIT_OK(extract.run());
  for (ValueId id : outputs_) forward->outputs.push_back(extract.get(id));
  for (ValueId id : extras_) forward->outputs.push_back(extract.get(id));
  result_.forward = std::move(forward);
  return {};
}

Status Differentiator::build_backward(std::span<const ValueId> kept) {
  auto backward = std::make_shared<Graph>();
  backward->name = graph_.name + ".backward";
  GraphSink sink(backward);
  Extractor extract(*joint_, &sink);
  for (ValueId id : kept) extract.map(id, sink.input(joint_->meta(id)).id());
  for (ValueId id : grad_inputs_) extract.map(id, sink.input(joint_->meta(id)).id());
  for (ValueId id : grad_values_) extract.need(id);
  MSJIT_OK(extract.run());
  for (ValueId id : grad_values_) backward->outputs.push_back(extract.get(id));
  result_.backward = std::move(backward);
  return {};
}

Result<GradGraphs> Differentiator::run() {
  if (wanted_.size() != graph_.inputs.size())
    return internal_error("[autodiff] number of wanted flags, got {}, expected {}", wanted_.size(),
                          graph_.inputs.size());
  MSJIT_OK(copy_forward());
  find_active();
  seed_outputs();
  MSJIT_OK(walk_back());
  MSJIT_OK(finish_grads());
  result_.num_outputs = static_cast<int>(outputs_.size());
  std::vector<ValueId> kept = choose_residuals(*joint_, required_values(), outputs_);
  for (ValueId id : kept) result_.residuals.push_back(classify(id));
  MSJIT_OK(build_forward());
  MSJIT_OK(build_backward(kept));
  return std::move(result_);
}

Result<std::shared_ptr<Graph>> Differentiator::run_joint(std::span<const bool> given) {
  MSJIT_OK(copy_forward());
  joint_->name = graph_.name + ".vjp";
  find_active();
  grads_.resize(active_.size());
  Vals seeds(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Meta meta = joint_->meta(outputs_[i]);
    meta.weak = false;
    if (given[i]) seeds[i] = sink_.input(meta);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) MSJIT_OK(add_grad(outputs_[i], seeds[i]));
  MSJIT_OK(walk_back());
  MSJIT_OK(finish_grads());
  joint_->outputs = grad_values_;
  MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*joint_));
  return joint_;
}

}  // namespace

Result<std::shared_ptr<Graph>> vjp_graph(const Graph& graph, std::span<const bool> wanted,
                                         std::span<const bool> given) {
  return Differentiator(graph, wanted).run_joint(given);
}

Result<GradGraphs> differentiate(const Graph& graph, std::span<const bool> wanted) {
  return Differentiator(graph, wanted).run();
}

}  // namespace msjit
