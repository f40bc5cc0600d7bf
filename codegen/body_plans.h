// Plans of sub-graphs. Equal sub-graphs share one plan. The body of a loop over time steps does not
// depend on the number of steps, so graphs that differ only in that number share its plan. A plan
// lives as long as a graph that uses it.
#pragma once

#include "codegen/plan.h"

namespace msjit {

// Finds or makes the plan of a sub-graph. From any thread.
Result<std::shared_ptr<const Plan>> plan_of_body(const std::shared_ptr<const Graph>& body,
                                                 bool open_sizes);

}  // namespace msjit
