// The interface between the core and a code generator, which is a library by itself
// (libmsjit_llvm.so). The first kernel compile loads it, so importing msjit does not load LLVM.
// Only plain data, strings and function pointers cross the interface.
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

// A request for a GPU kernel: a fused loop (codegen/device_kernel.h) or, without a spec, a routine
// (kernels/device/routine.h). The arguments of a routine are its pointers, its numbers, and the
// number of points it runs at.
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
  // The IR of the PTX kernel as an object for LoadedObject::load; its kernel is an EmulatedFn.
  bool (*compile_emulated)(const DeviceRequest& request, std::string* object, std::string* error);
};
inline constexpr int kBackendAbi = 5;

// Loads the library once, from the directory of the core library or else by the loader's search
// path. Null with the reason in *error when that fails; every later call then fails with that
// reason.
const Backend* load_backend(std::string* error);
// The file of that library, "" where there is none.
const std::string& backend_path();
// False where a code generator is known to be missing.
bool has_backend();
// `report` is called once with the reason when the library cannot be loaded, from the thread that
// finds out.
void on_backend_missing(void (*report)(const char* reason));

}  // namespace msjit
