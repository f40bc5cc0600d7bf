// GroupOrder: keeps the groups of a fusion in an executable order while they are merged.
#pragma once

#include "codegen/fusion.h"

namespace msjit {

struct OrderedGroup : FusionGroup {
  int32_t max_node;
  bool alive = true;
};

class GroupOrder {
 public:
  // By node: its group (-1: none), the node that has to run before it in any case (-1: none), and
  // the nodes that read it. These are references, read at each call. `groups` starts in order.
  GroupOrder(const Graph& graph, const std::vector<int32_t>& group_of,
             const std::vector<int32_t>& order_dep, const std::vector<std::vector<int32_t>>& users,
             std::vector<OrderedGroup>& groups);

  // False when a path leads from one group through a third group to the other: merging them would
  // make a cycle. Otherwise `into` moves to a place in the order that is right for both, and they
  // may be merged.
  bool bring_together(int32_t from, int32_t into);
  // The remaining groups. Each comes behind the groups it reads; where that leaves a choice, the
  // program's order decides.
  std::vector<FusionGroup> take();

 private:
  bool find_needed(int32_t a, int32_t b, bool* any);
  bool only_read_by(int32_t a, int32_t b) const;
  void swap_places(int32_t a, int32_t b);
  void move_behind_needed(int32_t a, int32_t b);
  int32_t producer_of(ValueId id) const { return id < 0 ? -1 : graph_.values[id].node; }

  const Graph& graph_;
  const std::vector<int32_t>& group_of_;
  const std::vector<int32_t>& order_dep_;
  const std::vector<std::vector<int32_t>>& users_;
  std::vector<OrderedGroup>& groups_;
  std::vector<uint32_t> visited_;
  std::vector<int32_t> order_, place_;  // the groups, and where they are
  uint32_t stamp_ = 0;
};

}  // namespace msjit
