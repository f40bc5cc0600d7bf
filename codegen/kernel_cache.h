// Machine code of fused loops, shared by all executables of the process. Equal specs are compiled
// once, and not at all when an earlier process has kept the code (object_cache.h). Kernels are
// immutable and reference-counted. The cache keeps the most recent ones alive, so dropping a graph
// and capturing it again costs no compile.
#pragma once

#include <memory>

#include "codegen/object_loader.h"

namespace msjit {

// How the whole range of a kernel is cut into parts for threads.
struct LaunchRange {
  int64_t extent = 1;  // [0, extent) is the whole range
  int64_t grain = 1;   // shortest range worth a thread of its own
  int64_t align = 1;   // ranges start at multiples of it
};
LaunchRange launch_range(const KernelSpec& spec);  // not open
// How many points make it worth using another thread.
int64_t elements_per_thread(const KernelSpec& spec);

class CompiledKernel {
 public:
  // `code`: null when compiling failed, for the reason `error`.
  CompiledKernel(KernelSpec spec, std::unique_ptr<LoadedObject> code, double ms, std::string error)
      : spec_(std::move(spec)), code_(std::move(code)), ms_(ms), error_(std::move(error)) {}

  FusedFn fn() const { return code_ ? code_->fn() : nullptr; }
  int64_t code_bytes() const { return code_ ? code_->bytes() : 0; }
  double compile_ms() const { return ms_; }
  const KernelSpec& spec() const { return spec_; }
  const std::string& error() const { return error_; }

 private:
  KernelSpec spec_;
  std::unique_ptr<LoadedObject> code_;
  double ms_;
  std::string error_;
};

using KernelPtr = std::shared_ptr<const CompiledKernel>;

// Finds or compiles; never null. When compiling fails, fn() is null and error() has the reason.
KernelPtr get_kernel(const KernelSpec& spec);
// Null when the kernel is neither in this process nor kept by an earlier one.
KernelPtr find_kernel(const KernelSpec& spec);

// Sets a function that is called with every requested spec, on the requesting thread; null: none.
void observe_kernels(void (*observer)(const KernelSpec&));

struct KernelCacheStats {
  int64_t kernels, compiles, loads, hits;  // loads: of code that earlier processes kept
  double compile_ms;
};
KernelCacheStats kernel_cache_stats();

}  // namespace msjit
