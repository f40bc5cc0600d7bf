// StagePlan: in which stage of a fused kernel each value of a group is computed, and which values a
// later stage loads instead of computing them again. The stages follow from the roles: a body node
// that reads the result of a reduction is one stage later than that reduction.
#pragma once

#include <unordered_map>

#include "codegen/fusion.h"
#include "codegen/kernel_spec.h"

namespace msjit {

class StagePlan {
 public:
  // `escapes`, by value: whether it is read outside the group.
  StagePlan(const Graph& graph, const FusionGroup& group, std::span<const char> escapes);

  int last() const { return last_; }
  int stage_of(ValueId id) const { return stage_.at(id); }
  // The output whose memory holds a value of an earlier stage; -1 when a later stage computes it
  // again.
  ValueId kept_in(ValueId id) const {
    auto found = kept_.find(id);
    return found == kept_.end() ? -1 : found->second;
  }
  const std::unordered_map<ValueId, ValueId>& kept() const { return kept_; }

 private:
  void find_stages();
  void delay_to_first_use();
  void choose_kept(std::span<const char> escapes);
  void keep(ValueId id, std::vector<ValueId>* free);
  size_t cost_of(const Node& node) const;

  const Graph& graph_;
  const FusionGroup& group_;
  std::unordered_map<ValueId, FusionRole> role_;
  std::unordered_map<ValueId, int> stage_, last_use_;
  std::unordered_map<ValueId, ValueId> kept_;
  int last_ = 0;
};

}  // namespace msjit
