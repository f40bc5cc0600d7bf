#include "graph/passes/passes.h"
#include "graph/rewrite.h"

namespace msjit {

Result<bool> simplify(Graph& graph) {
  static const RuleTable* rules = new RuleTable{algebra_rules(), layout_rules()};
  return apply_rules(graph, *rules);
}

}  // namespace msjit
