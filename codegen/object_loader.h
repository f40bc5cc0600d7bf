// LoadedObject: the machine code of one kernel, linked from the ELF object that the code generator
// wrote into memory pages of its own. With this loader, code kept from an earlier process runs
// without LLVM, whose library takes longer to load than a kernel takes to compile.
#pragma once

#include <memory>
#include <string_view>

#include "codegen/kernel_spec.h"
#include "kernels/core/result.h"

namespace msjit {

inline constexpr const char* kKernelSymbol = "msjit_kernel";

class LoadedObject {
 public:
  // An error when the object is malformed or holds something that kernels never hold.
  static Result<std::unique_ptr<LoadedObject>> load(std::string_view object);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;

  FusedFn fn() const { return fn_; }
  int64_t bytes() const { return static_cast<int64_t>(bytes_); }

 private:
  LoadedObject(uint8_t* base, size_t bytes) : base_(base), bytes_(bytes) {}

  uint8_t* base_;
  size_t bytes_;
  FusedFn fn_ = nullptr;
};

}  // namespace msjit
