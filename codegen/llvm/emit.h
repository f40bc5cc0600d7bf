// KernelSpec -> one LLVM function `void name(ptr operands, i64 begin, i64 end)`. The loops are
// emitted already vectorised. The innermost dim advances by whole vectors; what does not change
// along it is computed once before it; the rest of a row uses masked lanes or a scalar loop.
#pragma once

#include <llvm/IR/Module.h>

#include "codegen/kernel_spec.h"
#include "codegen/llvm/target.h"

namespace msjit::llvm_backend {

llvm::Function* emit_kernel(llvm::Module& module, const KernelSpec& spec, const char* name,
                            const HostTarget& target);

}  // namespace msjit::llvm_backend
