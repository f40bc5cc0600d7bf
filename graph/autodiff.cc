#include "graph/autodiff.h"

#include <algorithm>

#include "graph/active.h"
#include "graph/control_grad.h"
#include "graph/extract.h"
#include "graph/history.h"
#include "graph/reads.h"

namespace msjit {

extern const OpDef op_copy;

namespace {

bool has_value(const Grad& grad) { return static_cast<bool>(grad); }

bool draws_or_writes(const Node& node) {
  return node.kind == NodeKind::kOp && (!node.op->has(kPure) || node.op->has(kRandom));
}

class Differentiator final : public JointGraph {
 public:
  Differentiator(const Graph& graph, std::span<const bool> wanted)
      : wanted_(wanted.begin(), wanted.end()), joint_(std::make_shared<Graph>()), sink_(joint_) {
    joint_->name = graph.name;
  }
  Result<GradGraphs> run(const Graph& graph);
  Result<VjpGraph> run_joint(const Graph& graph, std::span<const Arrival> arrivals);
  Result<BackwardGraph> backward(std::span<const bool> given) override;

 private:
  Status copy_forward(const Graph& graph);
  Result<Vals> copy_node(const Graph& graph, const Node& node, const Vals& in);
  void seed_outputs();
  void find_active();
  Status walk_back();
  Status walk_back_from(std::span<const bool> given);
  Status differentiate_node(size_t n);
  Status add_grad(ValueId id, const Grad& grad);
  std::vector<InputGradient> gradients_of_inputs() const;
  Status build_forward();
  Result<BackwardGraph> build_backward(std::span<const bool> given);
  bool is_computed_from_kept(std::span<const bool> given) const;
  Residual classify(ValueId kept);

  std::vector<bool> wanted_;  // one per input
  std::shared_ptr<Graph> joint_;
  GraphSink sink_;
  std::vector<ValueId> outputs_;      // of the original graph, in the joint one
  size_t num_forward_ = 0;            // joint nodes before any gradient
  std::vector<bool> active_;          // per forward value: depends on a wanted input
  std::vector<ValueId> grad_inputs_;  // one for each of result_.grad_outputs
  std::vector<Grad> grads_;           // per forward value
  KeptValues kept_;                   // what the backward graphs read
  std::vector<ValueId> extras_;
  ControlReads control_reads_;
  GradGraphs result_;
};

// An op that has a composite but no gradient rule is expanded, so that its parts can be
// differentiated.
Result<Vals> Differentiator::copy_node(const Graph& graph, const Node& node, const Vals& in) {
  if (node.is_control()) {
    std::vector<ValueId> ids;
    for (const Val& value : in) ids.push_back(value.id());
    const ValueId first = sink_.append_like(graph, node, ids);
    Vals out;
    for (int32_t i = 0; i < node.num_outputs; ++i) out.push_back(sink_.value(first + i));
    return out;
  }
  if (node.op->vjp || node.op->has(kNoGrad) || !node.op->composite)
    return sink_.apply(*node.op, in, node.attrs);
  Vals out = node.op->expand(&sink_, in, node.attrs);
  MSJIT_OK(sink_.take_error());
  return out;
}

Status Differentiator::copy_forward(const Graph& graph) {
  if (wanted_.size() != graph.inputs.size())
    return internal_error("[autodiff] number of wanted flags, got {}, expected {}", wanted_.size(),
                          graph.inputs.size());
  Vals env(graph.values.size());
  const std::vector<bool> apart = kept_apart(graph, 1);
  for (ValueId id : graph.inputs) env[id] = sink_.input(graph.meta(id));
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kInput) continue;
    if (node.kind == NodeKind::kConstant) {
      env[node.first_output] = sink_.constant(node.constant);
      continue;
    }
    Vals in;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? Val() : env[id]);
    sink_.set_location(node.location);
    sink_.set_merging(!apart[node.first_output]);
    MSJIT_TRY(Vals out, copy_node(graph, node, in));
    sink_.set_merging(true);
    if (static_cast<int32_t>(out.size()) < node.num_outputs)
      return internal_error("[autodiff] number of outputs of {}, got {}, expected {}",
                            node.op->name, out.size(), node.num_outputs);
    for (int32_t i = 0; i < node.num_outputs; ++i) env[node.first_output + i] = out[i];
  }
  for (ValueId id : graph.outputs) outputs_.push_back(env[id].id());
  num_forward_ = joint_->nodes.size();
  return {};
}

void Differentiator::find_active() { active_ = active_values(*joint_, wanted_); }

void Differentiator::seed_outputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!active_[outputs_[i]]) continue;
    Meta meta = joint_->meta(outputs_[i]);
    meta.weak = false;
    Val seed = sink_.input(meta);
    result_.grad_outputs.push_back(static_cast<int>(i));
    grad_inputs_.push_back(seed.id());
  }
}

Status Differentiator::add_grad(ValueId id, const Grad& grad) {
  if (!grad || !active_[id]) return {};
  grads_[id] = add(grads_[id], grad);
  return sink_.take_error();
}

Status Differentiator::differentiate_node(size_t n) {
  const Node& node = joint_->nodes[n];
  const std::span<const Grad> arrived(&grads_[node.first_output],
                                      static_cast<size_t>(node.num_outputs));
  if (std::none_of(arrived.begin(), arrived.end(), has_value)) return {};
  InlineVec<bool, 8> wanted;
  for (ValueId id : node.inputs) wanted.push_back(id >= 0 && active_[id]);
  sink_.set_location(node.location);
  MSJIT_TRY(std::vector<Grad> grads,
            input_gradients(sink_, node, {wanted.begin(), wanted.end()}, arrived, &control_reads_));
  for (size_t i = 0; i < grads.size(); ++i)
    if (grads[i]) MSJIT_OK(add_grad(node.inputs[i], grads[i]));
  return {};
}

Status Differentiator::walk_back() {
  for (size_t n = num_forward_; n-- > 0;)
    if (joint_->nodes[n].kind == NodeKind::kOp) MSJIT_OK(differentiate_node(n));
  return {};
}

// Walks back from the outputs among result_.grad_outputs whose gradient is given.
Status Differentiator::walk_back_from(std::span<const bool> given) {
  grads_.assign(active_.size(), {});
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i])
      MSJIT_OK(add_grad(outputs_[result_.grad_outputs[i]], {sink_.value(grad_inputs_[i]), {}}));
  return walk_back();
}

std::vector<InputGradient> Differentiator::gradients_of_inputs() const {
  std::vector<InputGradient> found;
  for (size_t i = 0; i < wanted_.size(); ++i)
    if (const Grad& grad = grads_[joint_->inputs[i]])
      found.push_back({grad.value.id(), grad.arrives.id()});
  return found;
}

Residual Differentiator::classify(ValueId kept) {
  const Node& node = joint_->producer(kept);
  auto output = std::find(outputs_.begin(), outputs_.end(), kept);
  if (!kept_.copied[kept] && node.kind == NodeKind::kInput)
    return {Residual::From::kInput, node.input_index};
  if (!kept_.copied[kept] && output != outputs_.end())
    return {Residual::From::kOutput, static_cast<int>(output - outputs_.begin())};
  extras_.push_back(kept);
  return {Residual::From::kExtra, static_cast<int>(extras_.size()) - 1};
}

Status Differentiator::build_forward() {
  auto forward = std::make_shared<Graph>();
  forward->name = joint_->name + ".forward";
  GraphSink sink(forward);
  joint_->outputs = outputs_;  // for kept_apart()
  Extractor extract(*joint_, &sink);
  joint_->outputs.clear();
  for (size_t i = 0; i < wanted_.size(); ++i)
    extract.map(joint_->inputs[i], sink.input(joint_->meta(joint_->inputs[i])).id());
  for (ValueId id : outputs_) extract.need(id);
  for (ValueId id : extras_) extract.need(id);
  // Random draws stay even when unused: otherwise later draws would get other numbers.
  for (size_t n = 0; n < num_forward_; ++n)
    if (draws_or_writes(joint_->nodes[n])) extract.need(joint_->nodes[n].first_output);
  MSJIT_OK(extract.run());
  for (ValueId id : outputs_) forward->outputs.push_back(extract.get(id));
  for (ValueId id : extras_) {
    const Val kept = sink.value(extract.get(id));
    forward->outputs.push_back((kept_.copied[id] ? call(op_copy, {kept}) : kept).id());
  }
  MSJIT_OK(sink.take_error());
  result_.forward = std::move(forward);
  InlineVec<bool, 16> tracked;
  for (bool flag : wanted_) tracked.push_back(flag);
  MSJIT_TRY(result_.histories, add_histories(&result_.forward, tracked, result_.grad_outputs));
  return {};
}

Result<BackwardGraph> Differentiator::build_backward(std::span<const bool> given) {
  BackwardGraph result;
  result.graph = std::make_shared<Graph>();
  result.graph->name = joint_->name + ".backward";
  GraphSink sink(result.graph);
  Extractor extract(*joint_, &sink);
  for (ValueId id : kept_.ids) extract.map(id, sink.input(joint_->meta(id)).id());
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i]) extract.map(grad_inputs_[i], sink.input(joint_->meta(grad_inputs_[i])).id());
  std::vector<ValueId> values, arrives;
  for (size_t i = 0; i < wanted_.size(); ++i) {
    const Grad& grad = grads_[joint_->inputs[i]];
    if (!wanted_[i] || !grad) continue;
    result.inputs.push_back(static_cast<int>(i));
    values.push_back(grad.value.id());
    arrives.push_back(grad.arrives.id());
  }
  for (ValueId id : arrives) {
    result.arrives.push_back(id < 0 ? -1 : static_cast<int>(values.size()));
    if (id >= 0) values.push_back(id);
  }
  for (ValueId id : values) extract.need(id);
  MSJIT_OK(extract.run());
  for (ValueId id : values) result.graph->outputs.push_back(extract.get(id));
  return result;
}

Result<GradGraphs> Differentiator::run(const Graph& graph) {
  MSJIT_OK(copy_forward(graph));
  find_active();
  seed_outputs();
  const auto all = std::make_unique<bool[]>(grad_inputs_.size());
  std::fill_n(all.get(), grad_inputs_.size(), true);
  const std::span<const bool> given(all.get(), grad_inputs_.size());
  MSJIT_OK(walk_back_from(given));
  result_.num_outputs = static_cast<int>(outputs_.size());
  const std::vector<InputGradient> gradients = gradients_of_inputs();
  kept_ = keep_values({*joint_, num_forward_, outputs_, grad_inputs_, gradients, control_reads_});
  for (ValueId id : kept_.ids) result_.residuals.push_back(classify(id));
  result_.num_extras = static_cast<int>(extras_.size());
  MSJIT_OK(build_forward());
  MSJIT_TRY(result_.backward, build_backward(given));
  return result_;
}

// The sink merges equal values, so this walk mostly reads what the walk from all outputs read. A
// loop or branch may have another gradient node when fewer gradients arrive; that node may need
// values that were not kept.
Result<BackwardGraph> Differentiator::backward(std::span<const bool> given) {
  MSJIT_OK(walk_back_from(given));
  if (!is_computed_from_kept(given))
    return not_implemented_error(
        "[backward] gradients of the results, got only some, expected all: for some alone, needed "
        "values were not kept");
  return build_backward(given);
}

bool Differentiator::is_computed_from_kept(std::span<const bool> given) const {
  std::vector<bool> known(joint_->values.size()), wanted(joint_->nodes.size());
  for (ValueId id : kept_.ids) known[id] = true;
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i]) known[grad_inputs_[i]] = true;
  const auto want = [&](ValueId id) {
    if (id >= 0 && !known[id]) wanted[joint_->values[id].node] = true;
  };
  for (const InputGradient& gradient : gradients_of_inputs())
    want(gradient.value), want(gradient.arrives);
  for (size_t n = wanted.size(); n-- > 0;) {
    if (!wanted[n]) continue;
    if (joint_->nodes[n].kind == NodeKind::kInput) return false;
    for (ValueId id : joint_->nodes[n].inputs) want(id);
  }
  return true;
}

Result<VjpGraph> Differentiator::run_joint(const Graph& graph, std::span<const Arrival> arrivals) {
  MSJIT_OK(copy_forward(graph));
  joint_->name = graph.name + ".vjp";
  find_active();
  grads_.assign(active_.size(), {});
  std::vector<Grad> seeds(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Meta meta = joint_->meta(outputs_[i]);
    meta.weak = false;
    if (arrivals[i] == Arrival::kNever) continue;
    seeds[i].value = sink_.input(meta);
    grad_inputs_.push_back(seeds[i].value.id());
  }
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (arrivals[i] == Arrival::kSometimes)
      seeds[i].arrives = sink_.input(Tensor::scalar_of(DType::kBool, 0).meta());
  for (size_t i = 0; i < outputs_.size(); ++i) MSJIT_OK(add_grad(outputs_[i], seeds[i]));
  MSJIT_OK(walk_back());
  const std::vector<InputGradient> gradients = gradients_of_inputs();
  VjpGraph result{
      joint_,
      {},
      {},
      storage_read({*joint_, num_forward_, outputs_, grad_inputs_, gradients, control_reads_}),
      outputs_};
  result.reads.resize(wanted_.size());  // the inputs come first
  for (size_t i = 0; i < wanted_.size(); ++i) {
    if (!wanted_[i]) continue;
    const Grad& grad = grads_[joint_->inputs[i]];
    result.grads.push_back(grad.value.id());
    result.arrives.push_back(grad.arrives.id());
  }
  return result;
}

}  // namespace

namespace {

Result<std::vector<Grad>> apply_rule(GraphSink& sink, const Node& node,
                                     std::span<const bool> wanted, const Vals& output_grads) {
  if (!node.op->vjp)
    return not_implemented_error("[backward] {} has no gradient rule", node.op->name);
  Vals inputs, outputs;
  for (ValueId id : node.inputs) inputs.push_back(id < 0 ? Val() : sink.value(id));
  for (int32_t i = 0; i < node.num_outputs; ++i)
    outputs.push_back(sink.value(node.first_output + i));
  Vjp vjp{&sink, node.op, node.attrs, inputs, outputs, output_grads, wanted, Vals(inputs.size())};
  const TableScope tables(&sink, vjp.inputs);
  node.op->vjp(vjp);
  MSJIT_OK(sink.take_error());
  std::vector<Grad> grads(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (wanted[i]) grads[i].value = vjp.input_grads[i];
  return grads;
}

Result<std::vector<Grad>> apply_control(GraphSink& sink, const Node& node,
                                        std::span<const bool> wanted,
                                        std::span<const Grad> output_grads, ControlReads* reads) {
  std::vector<bool> arrived;
  for (const Grad& grad : output_grads) arrived.push_back(has_value(grad));
  // The gradient graphs of arms and bodies assume that a gradient has the dtype of its value. The
  // gradient of an integer need not have it (it may be a float). CPython runs a region with such a
  // gradient itself.
  const Graph& graph = *sink.graph();
  if (is_active_through_integers(graph, node, {wanted.begin(), wanted.end()}, arrived))
    return not_implemented_error("[backward] the gradient of {} goes through integers",
                                 node.op->name);
  MSJIT_TRY(ControlGrads result, control_vjp(sink, node, output_grads, wanted));
  for (const Grad& grad : result.grads)
    if (grad && reads) (*reads)[graph.values[grad.value.id()].node] = result.reads;
  return std::move(result.grads);
}

}  // namespace

Result<std::vector<Grad>> input_gradients(GraphSink& sink, const Node& node,
                                          std::span<const bool> wanted,
                                          std::span<const Grad> output_grads, ControlReads* reads) {
  const Grad& first = *std::find_if(output_grads.begin(), output_grads.end(), has_value);
  bool alike = true;
  for (const Grad& grad : output_grads) alike &= !grad || grad.arrives.id() == first.arrives.id();
  if (node.is_control() && !alike) return apply_control(sink, node, wanted, output_grads, reads);
  Val arrives = first.arrives;
  std::vector<Grad> always(output_grads.size());
  Vals values(output_grads.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Grad& grad = output_grads[i];
    if (!grad) continue;
    always[i].value = values[i] = alike ? grad.value : masked(grad);
    arrives = either_arrives(arrives, grad.arrives);
  }
  MSJIT_TRY(std::vector<Grad> result, node.is_control()
                                          ? apply_control(sink, node, wanted, always, reads)
                                          : apply_rule(sink, node, wanted, values));
  for (Grad& grad : result) grad.arrives = both_arrive(arrives, grad.arrives);
  return result;
}

Result<VjpGraph> vjp_graph(const Graph& graph, std::span<const bool> wanted,
                           std::span<const Arrival> arrivals) {
  return Differentiator(graph, wanted).run_joint(graph, arrivals);
}

Result<GradGraphs> differentiate(const Graph& graph, std::span<const bool> wanted) {
  auto joint = std::make_shared<Differentiator>(graph, wanted);
  MSJIT_TRY(GradGraphs graphs, joint->run(graph));
  graphs.joint = std::move(joint);
  return graphs;
}

}  // namespace msjit
