// Graphs whose kernels together use every feature of a kernel for a GPU.
#pragma once

#include <memory>
#include <vector>

#include "graph/ir.h"

namespace msjit::testing {

std::vector<std::shared_ptr<Graph>> device_graphs();

}  // namespace msjit::testing
