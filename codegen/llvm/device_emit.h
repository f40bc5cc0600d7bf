// KernelSpec -> one LLVM function for a GPU, in terms of NVPTX's intrinsics. Its parameters and how
// its threads share the work: codegen/device_kernel.h. What it does at a point is PointEmitter's,
// as on the host.
#pragma once

#include <llvm/IR/Module.h>

#include "codegen/kernel_spec.h"
#include "kernels/device/routine.h"

namespace msjit::llvm_backend {

inline constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;  // NVPTX's address spaces

llvm::Function* emit_device_kernel(llvm::Module& module, const KernelSpec& spec, const char* name);

// The same of a routine, at whose points the threads of all blocks take turns.
llvm::Function* emit_routine(llvm::Module& module, const devices::Routine& routine,
                             const char* name);

// Tells NVPTX that a function is one that hosts launch, in blocks of kBlockThreads.
void mark_kernel(llvm::Function& function);

// double remainder(double, double), exact as C's fmod: GPUs have no such instruction.
llvm::Function* emit_remainder(llvm::Module& module, const std::string& name);

}  // namespace msjit::llvm_backend
