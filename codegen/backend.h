// The seam between the core and a code generator in a library of its own (libmsjit_llvm.so), which
// is loaded by the first kernel compile so that importing msjit does not load LLVM. Only plain
// data, strings and function pointers cross.
#pragma once

#include <memory>
#include <string>

#include "codegen/kernel_spec.h"

namespace msjit {

namespace devices {
struct Routine;
}

struct BackendRequest {
  const KernelSpec* spec;
  const char* name;           // of the module, for dumps
  std::string* ir = nullptr;  // receives LLVM IR when asked for
  std::string* asm_text = nullptr;
};

// A kernel for a GPU: a fused loop (codegen/device_kernel.h) or, where there is no spec, a routine
// (kernels/device/routine.h), whose arguments are its pointers, its numbers and how many points it
// runs at.
struct DeviceRequest {
  const KernelSpec* spec;
  const char* name;           // of the kernel in the PTX
  int arch = 80;              // 80: sm_80
  std::string* ir = nullptr;  // receives LLVM IR when asked for
  const devices::Routine* routine = nullptr;
};

// What a code generator exports, through `extern "C" const Backend* msjit_backend()`.
struct Backend {
  int abi_version;
  // An object for LoadedObject::load, whose kernel is kKernelSymbol.
  bool (*compile)(const BackendRequest& request, std::string* object, std::string* error);
  const char* (*target)();  // "znver4, 512-bit vectors"
  // PTX, as text.
  bool (*compile_ptx)(const DeviceRequest& request, std::string* ptx, std::string* error);
  // The same IR as an object for LoadedObject::load, whose kernel is an EmulatedFn.
  bool (*compile_emulated)(const DeviceRequest& request, std::string* object, std::string* error);
};
inline constexpr int kBackendAbi = 5;

// Loads the library once (from the directory of the core library, else the loader's path). Null
// with the reason in *error when that fails, in which case every later call fails alike.
const Backend* load_backend(std::string* error);
// The file of that library, "" where there is none.
const std::string& backend_path();
// False where a code generator is known to be missing.
bool has_backend();
// Called once, from whatever thread finds that the library cannot be loaded, with the reason.
void on_backend_missing(void (*report)(const char* reason));

}  // namespace msjit
