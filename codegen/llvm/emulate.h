// Makes host code of a GPU's kernel (codegen/emulation.h).
#pragma once

#include <llvm/IR/Module.h>

namespace msjit::llvm_backend {

// Puts beside `kernel` a function `name`, an EmulatedFn, that has its body.
void emulate(llvm::Function& kernel, const char* name);

}  // namespace msjit::llvm_backend
