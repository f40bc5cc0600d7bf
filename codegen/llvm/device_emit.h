// KernelSpec -> one LLVM function for a GPU, with NVPTX's intrinsics. codegen/device_kernel.h
// describes its parameters and how its threads share the work. PointEmitter emits what it does at
// one point, as for the host.
#pragma once

#include <llvm/IR/Module.h>

#include "codegen/kernel_spec.h"
#include "kernels/device/routine.h"

namespace msjit::llvm_backend {

inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;  // NVPTX's address spaces

llvm::Function* emit_device_kernel(llvm::Module& module, const KernelSpec& spec, const char* name);

// The function of a routine. The threads of all blocks share its points: each takes every n-th one.
llvm::Function* emit_routine(llvm::Module& module, const devices::Routine& routine,
                             const char* name);

// Marks a function as a kernel that the host launches, in blocks of kBlockThreads.
void mark_kernel(llvm::Function& function);

// double remainder(double, double), exact like C's fmod. GPUs have no such instruction.
llvm::Function* emit_remainder(llvm::Module& module, const std::string& name);

}  // namespace msjit::llvm_backend
