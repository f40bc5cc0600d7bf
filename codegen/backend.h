// The seam between the core and a code generator in a library of its own (libmsjit_llvm.so), which
// is loaded by the first kernel compile so that importing msjit does not load LLVM. Only plain data
// and function pointers cross.
#pragma once

#include <memory>
#include <string>

#include "codegen/kernel_spec.h"

namespace msjit {

struct CompiledCode {
  FusedFn fn = nullptr;
  int64_t code_bytes = 0;
  void* handle = nullptr;  // the backend's own; goes back through release()
};

struct BackendRequest {
  const KernelSpec* spec;
  const char* name;           // symbol name, for profilers and dumps
  std::string* ir = nullptr;  // receives LLVM IR when asked for
  std::string* asm_text = nullptr;
};

// What a code generator exports, through `extern "C" const Backend* msjit_backend()`.
struct Backend {
  int abi_version;
  bool (*compile)(const BackendRequest& request, CompiledCode* code, std::string* error);
  void (*release)(const CompiledCode& code);
  const char* (*target)();  // "znver4, 512-bit vectors"
};
inline constexpr int kBackendAbi = 1;

// Loads the library once (from the directory of the core library, else the loader's path). Null
// with the reason in *error when that fails, in which case every later call fails alike.
const Backend* load_backend(std::string* error);

}  // namespace msjit
