// Runs a GPU's kernel on the host (codegen/emulation.h): the threads of a block one after another,
// each on a stack of its own, from one barrier or exchange to the next. It notices what hangs a GPU
// or is undefined there: threads of a block that wait for different things, or that have ended
// while others wait for them.
#pragma once

#include <string>

#include "codegen/emulation.h"

namespace msjit::testing {

// `meets`: the threads wait for each other somewhere. Empty when all went well, else what did not.
std::string run_emulated(EmulatedFn kernel, void* const* parameters, int num_blocks, bool meets);

}  // namespace msjit::testing
