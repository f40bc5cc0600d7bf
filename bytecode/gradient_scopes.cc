#include "bytecode/gradient_scopes.h"

#include <algorithm>

namespace msjit {

extern const OpDef op_identity;

void GradientScopes::set(int level, bool recording) {
  scopes_.set(static_cast<int32_t>(sink_->graph()->nodes.size()), level, recording);
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

Result<Vals> GradientScopes::gradients(std::span<const Val> outputs, std::span<const Val> seeds,
                                       std::span<const Val> wrt, bool differentiable) {
  auto found = [&] {
    const Sizes::Pause whole(*sizes_);
    return pull_back(*sink_, scopes_, outputs, seeds, wrt, differentiable);
  }();
  if (!found.ok()) return found;
  Vals results = found.take();
  sizes_->pulled_back(outputs, seeds, wrt, differentiable, results);
  return results;
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
