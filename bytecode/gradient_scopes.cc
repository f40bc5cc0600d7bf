#include "bytecode/gradient_scopes.h"

#include <algorithm>

namespace msjit {

extern const OpDef op_identity;

void GradientScopes::set(int level, bool recording) {
  scopes_.set(node_count(), level, recording);
  sizes_->scope(level, recording);
  sink_->set_differentiable(level > 0);
}

void GradientScopes::push(bool recording, int step) {
  if (first_step_ < 0) first_step_ = step;
  if (outer_.empty()) open_step_ = step;
  outer_.push_back({level(), this->recording()});
  set(recording ? level() + 1 : level(), recording);
}

bool GradientScopes::pop() {
  if (outer_.empty()) return false;
  const Outer outer = outer_.back();
  outer_.pop_back();
  set(outer.level, outer.recording);
  return true;
}

Result<Val> GradientScopes::leaf(const Val& tensor) {
  MSJIT_TRY(Vals made, sink_->apply(op_identity, std::span(&tensor, 1), {}));
  leaves_.push_back(made[0].id());
  return made[0];
}

bool GradientScopes::is_leaf(const Val& value) const {
  return std::find(leaves_.begin(), leaves_.end(), value.id()) != leaves_.end();
}

Result<Vals> GradientScopes::custom(std::span<const Val> inputs, std::span<const Val> outputs,
                                    SymRef gradient) {
  CustomStep step;
  Vals made;
  for (const Val& input : inputs) step.inputs.push_back(input.id());
  for (const Val& output : outputs) {
    MSJIT_TRY(Vals own, sink_->apply(op_identity, std::span(&output, 1), {}));
    step.outputs.push_back(own[0].id());
    made.push_back(own[0]);
  }
  if (made.empty()) return made;
  if (ShapeRecorder* const recorder = sizes_->recorder()) recorder->custom(step);
  scopes_.add_custom(std::move(step));
  custom_gradients_.push_back(std::move(gradient));
  return made;
}

Status BackwardPass::begin(std::span<const Val> outputs, std::span<const Val> seeds,
                           std::span<const Val> wrt) {
  const Sizes::Pause whole(*scopes_.sizes_);
  const Noted noted(scopes_);
  MSJIT_OK(pullback_.begin(outputs, seeds, wrt));
  if (recorder()) recorder()->backward(outputs, seeds, wrt, differentiable_);
  return {};
}

Result<bool> BackwardPass::next(Stop* stop) {
  const Sizes::Pause whole(*scopes_.sizes_);
  const Noted noted(scopes_);
  MSJIT_TRY(custom_, pullback_.next());
  if (custom_ < 0) return false;
  const CustomStep& step = scopes_.scopes_.custom(custom_);
  *stop = {scopes_.custom_gradients_[custom_], {}, {}, pullback_.arrived(custom_)};
  for (ValueId id : step.inputs) stop->inputs.push_back(scopes_.sink_->value(id));
  for (ValueId id : step.outputs) stop->outputs.push_back(scopes_.sink_->value(id));
  if (recorder()) recorder()->backward_next(custom_, &stop->output_gradients);
  return true;
}

Status BackwardPass::give(std::span<const Val> gradients) {
  const Sizes::Pause whole(*scopes_.sizes_);
  const Noted noted(scopes_);
  if (recorder()) recorder()->backward_give(gradients);
  return pullback_.give(custom_, gradients);
}

Result<Vals> BackwardPass::finish() {
  const Sizes::Pause whole(*scopes_.sizes_);
  const Noted noted(scopes_);
  MSJIT_TRY(Vals results, pullback_.finish());
  if (recorder()) recorder()->backward_end(results);
  return results;
}

bool GradientScopes::is_backward(int32_t node) const {
  const auto after =
      std::ranges::upper_bound(backward_, node, {}, [](const auto& r) { return r.first; });
  return after != backward_.begin() && node < std::prev(after)->second;
}

std::vector<bool> GradientScopes::tracked(std::span<const ValueId> parameters) const {
  const Graph& graph = *sink_->graph();
  std::vector<bool> of_leaves(graph.values.size()), of_parameters(graph.values.size());
  for (ValueId id : leaves_) of_leaves[id] = true;
  for (ValueId id : parameters) of_parameters[id] = true;
  return scopes_.active(graph, of_leaves, of_parameters);
}

bool GradientScopes::records(const Val& value, std::span<const ValueId> parameters) const {
  return level() > 0 && recording() && tracked(parameters)[value.id()];
}

}  // namespace msjit
