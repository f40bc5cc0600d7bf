#include "graph/control_grad.h"

#include "graph/autodiff.h"
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add, op_logical_or;

namespace {

using Flags = InlineVec<bool, 8>;
using Arrivals = InlineVec<Arrival, 8>;

Vals append(GraphSink& sink, const OpDef& op, const std::vector<ValueId>& in,
            const GraphSink::Subgraphs& subgraphs) {
  const std::vector<Meta> metas = control_outputs(op, subgraphs);
  Vals values;
  if (metas.empty()) return values;
  const ValueId first = sink.append(op, in, {}, metas, subgraphs);
  for (size_t i = 0; i < metas.size(); ++i)
    values.push_back(sink.value(first + static_cast<ValueId>(i)));
  return values;
}

// The gradient of an arm or a body, as a graph that still gets its outputs. grad(i) and the like
// count the wanted inputs only.
class SubGradient {
 public:
  explicit SubGradient(VjpGraph vjp) : vjp_(std::move(vjp)), sink_(vjp_.graph) {}
  GraphSink& sink() { return sink_; }
  Grad grad(size_t i) { return {sink_.value(vjp_.grads[i]), sink_.value(vjp_.arrives[i])}; }
  Arrival arrival(size_t i) { return grad(i).arrival(); }
  Val value(size_t i, const Meta& meta) {
    return grad(i) ? grad(i).value : words::zeros(&sink_, meta);
  }
  Val arrives(size_t i) { return arrives_in(sink_, grad(i)); }
  void add_output(const Val& value) { vjp_.graph->outputs.push_back(value.id()); }
  bool reads(size_t input) const { return input >= vjp_.reads.size() || vjp_.reads[input]; }
  // Marks the inputs that some live node reads, for the gradient or for running the arm again.
  void mark_used(std::vector<bool>* used) const {
    const Graph& graph = *vjp_.graph;
    used->resize(graph.inputs.size());
    std::vector<bool> values(graph.values.size());
    for (ValueId id : graph.outputs) values[id] = true;
    const std::vector<bool> live = live_nodes(graph);
    for (size_t n = 0; n < live.size(); ++n)
      for (ValueId id : graph.nodes[n].inputs)
        if (live[n] && id >= 0) values[id] = true;
    for (size_t i = 0; i < used->size(); ++i)
      if (values[graph.inputs[i]]) (*used)[i] = true;
  }
  // Removes the unused inputs; finish() removes their nodes.
  void keep_inputs(const std::vector<bool>& used) {
    const std::vector<ValueId> inputs = std::exchange(vjp_.graph->inputs, {});
    for (size_t i = 0; i < inputs.size(); ++i) {
      Node& node = vjp_.graph->nodes[vjp_.graph->values[inputs[i]].node];
      node.input_index = used[i] ? static_cast<int32_t>(vjp_.graph->inputs.size()) : -1;
      if (used[i]) vjp_.graph->inputs.push_back(inputs[i]);
    }
  }
  Result<std::shared_ptr<const Graph>> finish() {
    MSJIT_OK(sink_.take_error());
    MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*vjp_.graph));
    return std::shared_ptr<const Graph>(vjp_.graph);
  }

 private:
  VjpGraph vjp_;
  GraphSink sink_;
};

using Arms = std::vector<std::unique_ptr<SubGradient>>;

// An input of an If that a gradient may reach: the `number`-th of its wanted inputs.
struct Reached {
  size_t input, number;
  Arrival arrival;
};

std::vector<Reached> reached_inputs(const Arms& arms, const Flags& wanted) {
  std::vector<Reached> reached;
  size_t number = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    const Arrival a = arms[0]->arrival(number), b = arms[1]->arrival(number);
    const Arrival arrival = a == b ? a : Arrival::kSometimes;
    if (arrival != Arrival::kNever) reached.push_back({i, number, arrival});
    ++number;
  }
  return reached;
}

// `used`: receives which inputs the arms keep.
Result<GraphSink::Subgraphs> finish_arms(const Node& node, Arms& arms,
                                         const std::vector<Reached>& reached,
                                         std::vector<bool>* used) {
  const Graph& original = *node.subgraphs[0];
  for (const auto& arm : arms) {
    for (const Reached& at : reached) {
      arm->add_output(arm->value(at.number, original.meta(original.inputs[at.input])));
      if (at.arrival == Arrival::kSometimes) arm->add_output(arm->arrives(at.number));
    }
    arm->mark_used(used);
  }
  GraphSink::Subgraphs graphs;
  for (const auto& arm : arms) {
    arm->keep_inputs(*used);
    MSJIT_TRY(auto graph, arm->finish());
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

Result<ControlGrads> if_vjp(GraphSink& sink, const Node& node, std::span<const Grad> output_grads,
                            std::span<const bool> wanted) {
  const Flags inputs(wanted.subspan(1));
  Arrivals given;
  std::vector<ValueId> offered(node.inputs.begin() + 1, node.inputs.end());
  for (const Grad& grad : output_grads) {
    given.push_back(grad.arrival());
    if (grad) offered.push_back(grad.value.id());
  }
  for (const Grad& grad : output_grads)
    if (grad.arrives) offered.push_back(grad.arrives.id());
  Arms arms;
  for (const auto& arm : node.subgraphs) {
    MSJIT_TRY(VjpGraph vjp, vjp_graph(*arm, inputs, given));
    arms.push_back(std::make_unique<SubGradient>(std::move(vjp)));
  }
  const std::vector<Reached> reached = reached_inputs(arms, inputs);
  std::vector<bool> used;
  MSJIT_TRY(GraphSink::Subgraphs graphs, finish_arms(node, arms, reached, &used));
  std::vector<ValueId> in{node.inputs[0]};
  ControlGrads result{std::vector<Grad>(wanted.size()), {false}};
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    in.push_back(offered[i]);
    result.reads.push_back(arms[0]->reads(i) || arms[1]->reads(i));
  }
  const Vals values = append(sink, op_if, in, graphs);
  size_t next = 0;
  for (const Reached& at : reached) {
    Grad& grad = result.grads[at.input + 1];
    grad.value = values[next++];
    if (at.arrival == Arrival::kSometimes) grad.arrives = values[next++];
  }
  return result;
}

// Builds a while_grad node. It carries from iteration to iteration, last one first: the gradients
// of the carried values, the sums of the gradients of the captured values, and a bool for each of
// these that does not arrive in every iteration alike.
class LoopGradient {
 public:
  LoopGradient(GraphSink& sink, const Node& node, std::span<const Grad> output_grads,
               std::span<const bool> wanted)
      : sink_(sink),
        node_(node),
        body_(*node.subgraphs[0]),
        carried_(body_.outputs.size() - 1),
        output_grads_(output_grads),
        wanted_(wanted) {}

  Result<ControlGrads> run() {
    choose_inputs();
    MSJIT_OK(settle());
    add_carried();
    add_captured();
    MSJIT_OK(sink_.take_error());
    MSJIT_TRY(auto step, step_->finish());
    std::vector<ValueId> in(node_.inputs.begin(), node_.inputs.end());
    for (const Val& seed : seeds_) in.push_back(seed.id());
    const Vals values = append(sink_, op_while_grad, in, {node_.subgraphs[0], std::move(step)});
    ControlGrads result{std::vector<Grad>(wanted_.size()), std::move(reads_)};
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i]) continue;
      if (value_at_[i] >= 0) result.grads[i].value = values[value_at_[i]];
      if (arrives_at_[i] >= 0) result.grads[i].arrives = values[arrives_at_[i]];
    }
    return result;
  }

 private:
  // A gradient may reach a carried float by way of another carried value, so all carried floats
  // count as wanted.
  void choose_inputs() {
    for (size_t i = 0; i < wanted_.size(); ++i) {
      inputs_.push_back(i < carried_ ? is_inexact(body_.meta(body_.inputs[i]).dtype) : wanted_[i]);
      if (i < carried_) arrivals_.push_back(output_grads_[i].arrival());
    }
    value_at_.assign(wanted_.size(), -1);
    arrives_at_.assign(wanted_.size(), -1);
  }

  // Finds which gradients of carried values arrive in every iteration alike. Repeats until nothing
  // changes, because an iteration's gradients arrive at the iteration before it.
  Status settle() {
    for (bool settled = false; !settled;) {
      settled = true;
      Arrivals outputs;
      outputs.push_back(Arrival::kNever);  // the flag
      for (Arrival arrival : arrivals_) outputs.push_back(arrival);
      MSJIT_TRY(VjpGraph vjp, vjp_graph(body_, inputs_, outputs));
      reads_ = vjp.reads;
      step_ = std::make_unique<SubGradient>(std::move(vjp));
      size_t k = 0;
      for (size_t i = 0; i < carried_; ++i) {
        if (!inputs_[i]) continue;
        const Arrival next = step_->arrival(k++);
        if (arrivals_[i] == Arrival::kSometimes || arrivals_[i] == next) continue;
        arrivals_[i] = Arrival::kSometimes;
        settled = false;
      }
    }
    return {};
  }

  int carry(const Val& seed, const Val& next) {
    seeds_.push_back(seed);
    step_->add_output(next);
    return static_cast<int>(seeds_.size()) - 1;
  }

  // In the order of the step's inputs: all gradients, then all bools.
  void add_carried() {
    size_t k = 0;
    for (size_t i = 0; i < carried_; ++i) {
      if (!inputs_[i]) continue;
      const Meta& meta = body_.meta(body_.inputs[i]);
      const Grad& given = output_grads_[i];
      if (arrivals_[i] != Arrival::kNever)
        value_at_[i] =
            carry(given ? given.value : words::zeros(&sink_, meta), step_->value(k, meta));
      ++k;
    }
    k = 0;
    for (size_t i = 0; i < carried_; ++i) {
      if (!inputs_[i]) continue;
      if (arrivals_[i] == Arrival::kSometimes)
        arrives_at_[i] = carry(arrives_in(sink_, output_grads_[i]), step_->arrives(k));
      ++k;
    }
    num_carried_grads_ = k;
  }

  void add_captured() {
    size_t k = num_carried_grads_;
    for (size_t i = carried_; i < inputs_.size(); ++i) {
      if (!inputs_[i]) continue;
      const Grad grad = step_->grad(k++);
      if (!grad) continue;
      GraphSink& step = step_->sink();
      const Meta meta = grad.value.meta();
      value_at_[i] =
          carry(words::zeros(&sink_, meta), call(op_add, {step.input(meta), masked(grad)}));
      if (!grad.arrives) continue;
      const Val before = step.input(Tensor::scalar_of(DType::kBool, 0).meta());
      arrives_at_[i] = carry(arrives_in(sink_, {}), call(op_logical_or, {before, grad.arrives}));
    }
  }

  GraphSink& sink_;
  const Node& node_;
  const Graph& body_;
  const size_t carried_;
  std::span<const Grad> output_grads_;
  std::span<const bool> wanted_;
  Flags inputs_;
  Arrivals arrivals_;  // of carried values, when the gradient of an iteration starts
  std::unique_ptr<SubGradient> step_;       // of inputs_
  std::vector<bool> reads_;                 // one per input of the body
  Vals seeds_;                              // the first values of what the node carries
  std::vector<int> value_at_, arrives_at_;  // places among the outputs, by input of the node
  size_t num_carried_grads_ = 0;
};

}  // namespace

Result<ControlGrads> control_vjp(GraphSink& sink, const Node& node,
                                 std::span<const Grad> output_grads, std::span<const bool> wanted) {
  if (is_if(node)) return if_vjp(sink, node, output_grads, wanted);
  if (is_scan(node)) return scan_vjp(sink, node, output_grads, wanted);
  if (is_while(node)) return LoopGradient(sink, node, output_grads, wanted).run();
  return not_implemented_error("[backward] {} has no gradient rule", node.op->name);
}

}  // namespace msjit
