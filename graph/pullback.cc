#include "graph/pullback.h"

#include <algorithm>

#include "graph/active.h"
#include "graph/autodiff.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_identity;

namespace {

// Whether a gradient goes from the node's outputs to its `i`-th input.
bool is_edge(const Node& node, size_t i, bool in_scope, const std::vector<bool>& active,
             const std::vector<bool>& parameters) {
  const ValueId id = node.inputs[i];
  return id >= 0 && (active[id] || (in_scope && parameters[id]));
}

}  // namespace

std::vector<bool> GradScopes::active(const Graph& graph, const std::vector<bool>& leaves,
                                     const std::vector<bool>& parameters) const {
  std::vector<bool> active = leaves;
  visit(graph, [&](const Node& node, bool recorded, bool in_scope) {
    if (node.kind != NodeKind::kOp || node.op->has(kNoGrad) || !recorded) return;
    std::vector<bool> in;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      in.push_back(is_edge(node, i, in_scope, active, parameters));
    const std::vector<bool> out = active_outputs(graph, node, in);
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i]) active[node.first_output + static_cast<ValueId>(i)] = true;
  });
  return active;
}

class Pullback {
 public:
  Pullback(GraphSink& sink, const GradScopes& scopes, bool differentiable)
      : sink_(sink), scopes_(scopes), differentiable_(differentiable) {}
  Result<Vals> run(std::span<const Val> outputs, std::span<const Val> seeds,
                   std::span<const Val> wrt);

 private:
  struct Step {
    int32_t node;
    bool in_scope;
  };
  void find_active(std::span<const Val> wrt);
  Status seed(const Val& output, const Val& given);
  Status add_gradient(ValueId id, const Grad& gradient);
  Status walk(const Step& step);
  Result<Vals> results(std::span<const Val> wrt);

  GraphSink& sink_;
  const GradScopes& scopes_;
  const bool differentiable_;
  std::vector<bool> leaves_, parameters_, active_;
  std::vector<Step> steps_;      // the recorded nodes that lead to something in wrt
  std::vector<Grad> gradients_;  // by value
};

void Pullback::find_active(std::span<const Val> wrt) {
  const Graph& graph = *sink_.graph();
  leaves_.resize(graph.values.size());
  parameters_.resize(graph.values.size());
  gradients_.resize(graph.values.size());
  for (const Val& value : wrt) {
    const bool parameter = graph.producer(value.id()).kind == NodeKind::kInput;
    (parameter ? parameters_ : leaves_)[value.id()] = true;
  }
  active_ = scopes_.active(graph, leaves_, parameters_);
  scopes_.visit(graph, [&](const Node& node, bool recorded, bool in_scope) {
    if (recorded && node.kind == NodeKind::kOp && active_[node.first_output])
      steps_.push_back({graph.values[node.first_output].node, in_scope});
  });
}

Status Pullback::seed(const Val& output, const Val& given) {
  if (!active_[output.id()] && !parameters_[output.id()]) return {};
  return add_gradient(output.id(), {given ? given : words::full_like(output, 1), {}});
}

Status Pullback::add_gradient(ValueId id, const Grad& gradient) {
  gradients_[id] = add(gradients_[id], gradient);
  return sink_.take_error();
}

Status Pullback::walk(const Step& step) {
  const Node& node = sink_.graph()->nodes[step.node];
  const std::span<const Grad> arrived(&gradients_[node.first_output],
                                      static_cast<size_t>(node.num_outputs));
  InlineVec<bool, 8> wanted;
  bool needed = false, any = false;
  for (const Grad& gradient : arrived) any |= static_cast<bool>(gradient);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    wanted.push_back(is_edge(node, i, step.in_scope, active_, parameters_));
    needed |= wanted.back();
  }
  if (!any || !needed) return {};
  // Such a node puts the result of a `where` in place of a gradient that may not arrive. The
  // gradient of that `where` would arrive as zeros, and zeros times an infinite derivative are NaN.
  if (node.is_control() && differentiable_)
    return not_implemented_error(
        "[backward] a gradient of a gradient, got one through {}, expected none through a branch "
        "or loop",
        node.op->name);
  sink_.set_location(node.location);
  MSJIT_TRY(std::vector<Grad> gradients,
            input_gradients(sink_, node, {wanted.begin(), wanted.end()}, arrived, nullptr));
  for (size_t i = 0; i < gradients.size(); ++i)
    if (wanted[i] && gradients[i]) MSJIT_OK(add_gradient(node.inputs[i], gradients[i]));
  return {};
}

// A gradient that already was a value of the graph before this pass gets an `identity` node, so
// that it is a value of its own.
Result<Vals> Pullback::results(std::span<const Val> wrt) {
  Vals results;
  for (const Val& value : wrt) {
    const Grad& gradient = gradients_[value.id()];
    const Val found = gradient ? masked(gradient) : words::zeros(&sink_, value.meta());
    const bool known = found && static_cast<size_t>(found.id()) < gradients_.size();
    results.push_back(known ? msjit::call(op_identity, {found}) : found);
  }
  MSJIT_OK(sink_.take_error());
  return results;
}

Result<Vals> Pullback::run(std::span<const Val> outputs, std::span<const Val> seeds,
                           std::span<const Val> wrt) {
  find_active(wrt);
  const SourceLocation place = sink_.location();
  for (size_t i = 0; i < outputs.size(); ++i)
    MSJIT_OK(seed(outputs[i], i < seeds.size() ? seeds[i] : Val()));
  for (size_t i = steps_.size(); i-- > 0;) MSJIT_OK(walk(steps_[i]));
  sink_.set_location(place);
  return results(wrt);
}

Result<Vals> pull_back(GraphSink& sink, GradScopes& scopes, std::span<const Val> outputs,
                       std::span<const Val> seeds, std::span<const Val> wrt, bool differentiable) {
  const int level = scopes.level();
  const bool recording = scopes.recording();
  const auto nodes = [&] { return static_cast<int32_t>(sink.graph()->nodes.size()); };
  const GradScopes before = scopes;
  scopes.set(nodes(), differentiable ? level + 1 : level, differentiable);
  auto found = Pullback(sink, before, differentiable).run(outputs, seeds, wrt);
  scopes.set(nodes(), level, recording);
  return found;
}

}  // namespace msjit
