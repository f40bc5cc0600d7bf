// The machines for which code is generated: the host, set up once per process, and GPUs.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace msjit::llvm_backend {

struct HostTarget {
  std::unique_ptr<llvm::TargetMachine> machine;  // null when the host is not supported
  std::string description;                       // "znver5, 64-byte vectors"
  int vector_bytes = 32;
  bool masked_memory =
      false;  // masked loads and stores of every element size are single instructions
};

const HostTarget& host_target();

// The code generator of a GPU, 80 for sm_80; null with the reason in *error.
std::unique_ptr<llvm::TargetMachine> device_machine(int arch, std::string* error);

}  // namespace msjit::llvm_backend
