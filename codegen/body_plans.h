// Plans of sub-graphs. Equal ones have one plan: the body of a loop over time steps is the same
// however many steps there are, so graphs that differ in sizes share it, and what each of them
// would have to plan is the rest. Plans live as long as a graph that holds them.
#pragma once

#include "codegen/plan.h"

namespace msjit {

// The plan of a sub-graph, found or made. From any thread.
Result<std::shared_ptr<const Plan>> plan_of_body(const std::shared_ptr<const Graph>& body,
                                                 bool open_sizes);

}  // namespace msjit
