// CheckingNodes: the nodes of a capture whose ops fail for some contents of their inputs, as gather
// does for a bad index. In eager code such an op raises even if nothing reads its result. So the
// graph must keep it: as an output that no recipe takes, as an unread output of an If, or as an
// unread carried value of a loop.
#pragma once

#include <vector>

#include "graph/ir.h"

namespace msjit {

class CheckingNodes {
 public:
  // Notes those among the nodes from `first_node` on.
  void note(const Graph& graph, int32_t first_node);
  size_t mark() const { return nodes_.size(); }
  // Takes out the nodes noted since the mark.
  std::vector<int32_t> take(size_t mark = 0);

 private:
  std::vector<int32_t> nodes_;
};

// Of these nodes, the values of those that were made at node `first_node` or behind it and that
// none of the values in `read` depends on. A value on which another one of the result depends is
// left out.
std::vector<ValueId> unread_values(const Graph& graph, const std::vector<int32_t>& nodes,
                                   int32_t first_node, std::span<const ValueId> read);

}  // namespace msjit
