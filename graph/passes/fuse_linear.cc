#include "graph/passes/passes.h"
#include "graph/rewrite.h"

namespace msjit {

Result<bool> fuse_linear(Graph& graph) {
  std::vector<const Rule*> rules;
  for (const Rule& rule : linear_rules()) rules.push_back(&rule);
  return apply_rules(graph, rules);
}

}  // namespace msjit
