// Steps shared by the plans of one program for many sizes. Such plans differ in the shapes of their
// slots and, here and there, in attributes.
#include <algorithm>

#include "codegen/plan.h"

namespace msjit {
namespace {

bool same_op(const PlanOp& a, const PlanOp& b) {
  return a.node->op == b.node->op && a.node->attrs == b.node->attrs && a.in == b.in &&
         a.out == b.out && a.release == b.release;
}

bool same_step(const PlanStep& a, const PlanStep& b) {
  const bool same_program = a.fused && b.fused ? *a.fused == *b.fused : a.fused == b.fused;
  return same_program && a.kind == b.kind && a.fresh == b.fresh && a.takes == b.takes &&
         a.reuses == b.reuses && a.dead_views == b.dead_views && a.writes_over == b.writes_over &&
         a.in_order == b.in_order && a.nested == b.nested && a.copied == b.copied &&
         std::ranges::equal(a.ops, b.ops, same_op);
}

}  // namespace

void share_steps(Plan* plan, const Plan& like) {
  for (size_t s = 0; s < plan->steps.size(); ++s) {
    if (s < like.steps.size() && same_step(plan->steps[s], like.steps[s])) {
      plan->steps[s] = like.steps[s];
      continue;
    }
    for (PlanOp& op : plan->steps[s]->ops) op.node = std::make_shared<const Node>(*op.node);
  }
  plan->graph = nullptr;
}

}  // namespace msjit
