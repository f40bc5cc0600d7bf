// Graphs whose kernels use all that a kernel for a GPU can hold.
#pragma once

#include <memory>
#include <vector>

#include "graph/ir.h"

namespace msjit::testing {

std::vector<std::shared_ptr<Graph>> device_graphs();

}  // namespace msjit::testing
