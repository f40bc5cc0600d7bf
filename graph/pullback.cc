#include "graph/pullback.h"

#include <algorithm>

#include "graph/active.h"
#include "graph/autodiff.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_identity;

int GradScopes::custom_with(ValueId output) const {
  const auto behind = std::ranges::upper_bound(
      customs_, output, {}, [](const CustomStep& step) { return step.outputs.front(); });
  if (behind == customs_.begin()) return -1;
  const auto step = behind - 1;
  const bool found = std::ranges::find(step->outputs, output) != step->outputs.end();
  return found ? static_cast<int>(step - customs_.begin()) : -1;
}

std::span<const ValueId> GradScopes::inputs_of(const Node& node) const {
  if (const int custom = custom_with(node.first_output); custom >= 0)
    return customs_[custom].inputs;
  return node.inputs;
}

std::vector<bool> GradScopes::active(const Graph& graph, const std::vector<bool>& leaves,
                                     const std::vector<bool>& parameters) const {
  std::vector<bool> active = leaves;
  visit(graph, [&](const Node& node, bool recorded, bool in_scope) {
    if (node.kind != NodeKind::kOp || node.op->has(kNoGrad) || !recorded) return;
    std::vector<bool> in;
    for (ValueId id : inputs_of(node))
      in.push_back(id >= 0 && (active[id] || (in_scope && parameters[id])));
    if (custom_with(node.first_output) >= 0) {
      active[node.first_output] = std::ranges::find(in, true) != in.end();
      return;
    }
    const std::vector<bool> out = active_outputs(graph, node, in);
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i]) active[node.first_output + static_cast<ValueId>(i)] = true;
  });
  return active;
}

void Pullback::find_active() {
  const Graph& graph = *sink_.graph();
  leaves_.resize(graph.values.size());
  parameters_.resize(graph.values.size());
  gradients_.resize(graph.values.size());
  for (const Val& value : wrt_) {
    const bool parameter = graph.producer(value.id()).kind == NodeKind::kInput;
    (parameter ? parameters_ : leaves_)[value.id()] = true;
  }
  active_ = before_.active(graph, leaves_, parameters_);
  before_.visit(graph, [&](const Node& node, bool recorded, bool in_scope) {
    if (!recorded || node.kind != NodeKind::kOp) return;
    bool any = false;  // the first result of a loop may be its counter
    for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
      any |= active_[id];
    if (any) steps_.push_back({graph.values[node.first_output].node, in_scope});
  });
}

// Whether a gradient goes to this value when a recorded node takes it.
bool Pullback::is_edge(ValueId id, bool in_scope) const {
  return id >= 0 && (active_[id] || (in_scope && parameters_[id]));
}

Status Pullback::seed(const Val& output, const Val& given) {
  if (!active_[output.id()] && !parameters_[output.id()]) return {};
  return add_gradient(output.id(), {given ? given : words::full_like(output, 1), {}});
}

Status Pullback::add_gradient(ValueId id, const Grad& gradient) {
  gradients_[id] = add(gradients_[id], gradient);
  return sink_.take_error();
}

// Whether the step gets a gradient and leads to something in wrt.
Result<bool> Pullback::reaches(int custom, bool in_scope) const {
  const CustomStep& step = before_.custom(custom);
  bool any = false;
  for (ValueId id : step.outputs) {
    any |= static_cast<bool>(gradients_[id]);
    if (gradients_[id].arrives)
      return not_implemented_error(
          "[backward] a branch or loop on tensor values, got one that decides whether a custom "
          "gradient is needed, expected none");
  }
  return any && std::ranges::any_of(step.inputs, [&](ValueId id) { return is_edge(id, in_scope); });
}

Status Pullback::walk(const Step& step) {
  const Node& node = sink_.graph()->nodes[step.node];
  const std::span<const Grad> arrived(&gradients_[node.first_output],
                                      static_cast<size_t>(node.num_outputs));
  InlineVec<bool, 8> wanted;
  bool needed = false, any = false;
  for (const Grad& gradient : arrived) any |= static_cast<bool>(gradient);
  for (ValueId id : node.inputs) {
    wanted.push_back(is_edge(id, step.in_scope));
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

void Pullback::set_scope(int level, bool recording) {
  scopes_.set(static_cast<int32_t>(sink_.graph()->nodes.size()), level, recording);
}

Status Pullback::begin(std::span<const Val> outputs, std::span<const Val> seeds,
                       std::span<const Val> wrt) {
  wrt_ = Vals(wrt.begin(), wrt.end());
  place_ = sink_.location();
  set_scope(differentiable_ ? before_.level() + 1 : before_.level(), differentiable_);
  find_active();
  for (size_t i = 0; i < outputs.size(); ++i)
    MSJIT_OK(seed(outputs[i], i < seeds.size() ? seeds[i] : Val()));
  return {};
}

Result<int> Pullback::next() {
  while (!steps_.empty()) {
    const Step step = steps_.back();
    steps_.pop_back();
    const ValueId made = sink_.graph()->nodes[step.node].first_output;
    const int custom = before_.custom_with(made);
    if (custom < 0) {
      MSJIT_OK(walk(step));
    } else if (before_.custom(custom).outputs.front() == made) {
      MSJIT_TRY(const bool stops, reaches(custom, step.in_scope));
      if (stops) return custom;
    }
  }
  return -1;
}

Vals Pullback::arrived(int custom) const {
  Vals found;
  for (ValueId id : before_.custom(custom).outputs) found.push_back(gradients_[id].value);
  return found;
}

Status Pullback::give(int custom, std::span<const Val> gradients) {
  const std::vector<ValueId>& inputs = before_.custom(custom).inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (gradients[i] && (active_[inputs[i]] || parameters_[inputs[i]]))
      MSJIT_OK(add_gradient(inputs[i], {gradients[i], {}}));
  return {};
}

// Every gradient becomes a value of its own: one that the graph had before this pass gets an
// `identity` node.
Result<Vals> Pullback::finish() {
  sink_.set_location(place_);
  Vals results;
  for (const Val& value : wrt_) {
    const Grad& gradient = gradients_[value.id()];
    const Val found = gradient ? masked(gradient) : words::zeros(&sink_, value.meta());
    const bool known = found && static_cast<size_t>(found.id()) < gradients_.size();
    results.push_back(known ? msjit::call(op_identity, {found}) : found);
  }
  MSJIT_OK(sink_.take_error());
  set_scope(before_.level(), before_.recording());
  return results;
}

}  // namespace msjit
