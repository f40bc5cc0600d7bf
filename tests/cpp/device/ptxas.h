// NVIDIA's assembler, which needs no GPU: it tells whether PTX is well formed.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel_spec.h"

namespace msjit::testing {

// Its path: on PATH, below CUDA_HOME or /usr/local/cuda, or where set-up has put it. "" if none.
std::string find_ptxas();

// PTX of one spec; "" with the reason in *error.
std::string ptx_of(const KernelSpec& spec, const std::string& name, int arch, std::string* error);

// Makes one module of many kernels and assembles it. "" when it is accepted, else the messages.
std::string assemble(const std::vector<std::string>& kernels, int arch);

}  // namespace msjit::testing
