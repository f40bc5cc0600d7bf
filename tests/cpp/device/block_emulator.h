// Runs a GPU's kernel on the host (codegen/emulation.h). The threads of a block have separate
// stacks. They run one after another, each from one barrier or exchange to the next. It detects
// what hangs a GPU or is undefined there: threads of a block that wait for different things, and
// threads that have ended while others wait for them.
#pragma once

#include <string>

#include "codegen/emulation.h"

namespace msjit::testing {

// `meets`: the kernel has barriers or exchanges. Returns "" or a text that says what went wrong.
std::string run_emulated(EmulatedFn kernel, void* const* parameters, int num_blocks, bool meets);

}  // namespace msjit::testing
