// FusedUnit: a fused step at run time. It holds the compiled variants of one FusedProgram for one
// set of shapes, one per input layout, and picks the one that applies. It owns no tensors, so a
// compile job may outlive the executable. Variants are only ever added, so readers take no lock.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "codegen/launch.h"
#include "codegen/plan.h"

namespace msjit {

class FusedUnit : public std::enable_shared_from_this<FusedUnit> {
 public:
  // `strides`: the static layout of each input operand; the primary variant is made for it. `open`:
  // its kernels take the sizes as arguments and are shared with programs that differ only in sizes.
  FusedUnit(std::shared_ptr<const FusedProgram> program, FusedShapes shapes,
            std::vector<Shape> strides, bool open);
  ~FusedUnit();

  const FusedProgram& program() const { return *program_; }
  bool is_for(const FusedShapes& shapes, std::span<const Shape> strides) const;
  // The kernel for the static layout; null until it is compiled, or for ever when that fails.
  const BoundKernel* primary() const { return primary_.kernel.load(std::memory_order_acquire); }
  bool is_contiguous(int input) const { return contiguous_[input]; }
  const Shape& strides(int input) const { return primary_.strides[input]; }

  void compile_primary();  // once, now or in the background, see MSJIT_SYNC_COMPILE
  void wait();             // until the primary variant is settled
  bool settled() const { return primary_.state.load() != kPending; }
  // The kernel for inputs in another layout. Null while it is being compiled, and when there are
  // too many layouts.
  const BoundKernel* find_variant(std::span<const Tensor> inputs);

  // Counts the plans that use it. (The references do not: a compile job holds one as well.)
  void add_user() { ++users_; }
  void remove_user() { --users_; }
  int users() const { return users_; }

  double compile_ms() const;
  // A kernel that is not compiled yet counts with the least bytes it can have, so that its arrival
  // exceeds no budget. One that other units use too counts in parts.
  int64_t code_bytes() const;
  std::string status() const;  // "compiled in 1.2 ms, ..." for describe()

 private:
  // The main kernel and, when the reduction is cut into chunks, the finishing one.
  struct Specs {
    KernelSpec main;
    std::optional<KernelSpec> finish;
  };
  struct Kernels {
    KernelPtr main, finish;
    bool ok() const { return main && main->fn() && (!finish || finish->fn()); }
    double compile_ms() const;
    int64_t code_bytes() const;
    int64_t share_of_code() const;
  };
  enum State : int { kPending, kReady, kFailed };
  struct Variant {
    std::vector<Shape> strides;
    std::atomic<const BoundKernel*> kernel{nullptr};
    std::atomic<int> state{kPending};
    Kernels keep;  // written once, before `kernel`
    BoundKernel bound, finish;
    std::vector<int64_t> sizes, finish_sizes;
    Variant* next = nullptr;
  };
  class Job;
  bool matches(const Variant& variant, std::span<const Tensor> inputs) const;
  Specs specs_of(Variant& variant) const;
  void cut(Variant& variant, Specs* specs) const;
  void settle(Variant& variant, Kernels kernels);
  void schedule(Variant& variant);

  std::shared_ptr<const FusedProgram> program_;
  const FusedShapes shapes_;
  const bool open_;
  std::vector<char> contiguous_;
  std::string dump_directory_;  // of the capture, for the compile thread
  std::atomic<bool> scheduled_{false};
  std::atomic<int> users_{0};
  Variant primary_;
  std::atomic<Variant*> others_{nullptr};
  std::mutex adding_;
};

}  // namespace msjit
