#include "graph/passes/passes.h"
#include "graph/rewrite.h"

namespace msjit {

Result<bool> simplify(Graph& graph) {
  std::vector<const Rule*> rules;
  for (const Rule& rule : algebra_rules()) rules.push_back(&rule);
  for (const Rule& rule : layout_rules()) rules.push_back(&rule);
  return apply_rules(graph, rules);
}

}  // namespace msjit
