// The Executable of a graph whose values lie on a device.
#pragma once

#include "codegen/executable.h"

namespace msjit {

Result<std::shared_ptr<Executable>> compile_for_device(const Graph& graph, bool open_sizes);

}  // namespace msjit
