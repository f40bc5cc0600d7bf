#include "codegen/stage_plan.h"

#include <algorithm>

namespace msjit {

StagePlan::StagePlan(const Graph& graph, const FusionGroup& group, std::span<const char> escapes)
    : graph_(graph), group_(group) {
  find_stages();
  delay_to_first_use();
  for (const auto& [id, stage] : stage_) last_ = std::max(last_, stage);
  if (last_ > 0) choose_kept(escapes);
}

void StagePlan::find_stages() {
  for (size_t i = 0; i < group_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[group_.nodes[i]];
    int stage = 0;
    for (ValueId id : node.inputs)
      if (auto found = role_.find(id); found != role_.end()) {
        const bool folded = found->second != FusionRole::kBody;
        stage = std::max(stage, stage_[id] + (folded && group_.roles[i] == FusionRole::kBody));
      }
    role_[node.first_output] = group_.roles[i];
    stage_[node.first_output] = stage;
  }
}

// A body value is computed in the stage that needs it first.
void StagePlan::delay_to_first_use() {
  std::unordered_map<ValueId, int> first_use;
  for (size_t i = group_.nodes.size(); i-- > 0;) {
    const Node& node = graph_.nodes[group_.nodes[i]];
    const FusionRole role = group_.roles[i];
    if (role == FusionRole::kTail) continue;
    int& stage = stage_[node.first_output];
    if (auto used = first_use.find(node.first_output); role == FusionRole::kBody)
      stage = used == first_use.end() ? stage : used->second;
    for (ValueId id : node.inputs) {
      if (auto found = role_.find(id); found == role_.end() || found->second != FusionRole::kBody)
        continue;
      auto [first, added] = first_use.try_emplace(id, stage);
      if (!added) first->second = std::min(first->second, stage);
      last_use_[id] = std::max(last_use_[id], stage);
    }
  }
}

// Chooses the values that later stages load. A value that leaves the group is in memory anyway.
// Others that are not cheap are kept in the memory of an output that the last stage will write.
void StagePlan::choose_kept(std::span<const char> escapes) {
  constexpr size_t kCheapNodes = 8;  // scalar operations that are done again
  std::vector<ValueId> free;
  for (int32_t n : group_.nodes)
    if (const ValueId id = graph_.nodes[n].first_output;
        role_[id] == FusionRole::kBody && escapes[id] && stage_[id] == last_)
      free.push_back(id);
  std::unordered_map<ValueId, size_t> cost;
  for (int32_t n : group_.nodes) {
    const Node& node = graph_.nodes[n];
    const ValueId id = node.first_output;
    if (role_[id] != FusionRole::kBody) continue;
    size_t total = cost_of(node);
    for (ValueId in : node.inputs)
      if (auto found = cost.find(in); found != cost.end()) total += found->second;
    if (auto used = last_use_.find(id); used != last_use_.end() && used->second > stage_[id]) {
      if (escapes[id])
        kept_[id] = id;
      else if (total > kCheapNodes)
        keep(id, &free);
    }
    cost[id] = kept_.count(id) ? 0 : total;
  }
}

void StagePlan::keep(ValueId id, std::vector<ValueId>* free) {
  auto place = std::ranges::find_if(
      *free, [&](ValueId out) { return graph_.meta(out).dtype == graph_.meta(id).dtype; });
  if (place == free->end()) return;
  kept_[id] = *place;
  free->erase(place);
}

size_t StagePlan::cost_of(const Node& node) const {
  ScalarBuilder builder;
  InlineVec<const Meta*, 4> metas;
  for (ValueId id : node.inputs) metas.push_back(id < 0 ? nullptr : &graph_.meta(id));
  const DType compute = compute_dtype(*node.op, metas);
  InlineVec<Sym, 4> in;
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    const DType wanted = operand_dtype(*node.op, compute, static_cast<int>(i));
    in.push_back(builder.input(static_cast<int32_t>(i), compute_type(wanted)));
  }
  node.op->scalar_trace(builder, in, node.attrs);
  return builder.program().nodes.size() - in.size();
}

}  // namespace msjit
