// Turns a GPU kernel into host code (codegen/emulation.h).
#pragma once

#include <llvm/IR/Module.h>

namespace msjit::llvm_backend {

// Adds a function `name`, an EmulatedFn, with the body of `kernel`, and removes `kernel`.
void emulate(llvm::Function& kernel, const char* name);

}  // namespace msjit::llvm_backend
