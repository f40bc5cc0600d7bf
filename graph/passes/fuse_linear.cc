#include "graph/passes/passes.h"
#include "graph/rewrite.h"

namespace msjit {

Result<bool> fuse_linear(Graph& graph) {
  static const RuleTable* rules = new RuleTable{linear_rules()};
  return apply_rules(graph, *rules);
}

}  // namespace msjit
