// What a kernel does at one place of its iteration space: load the operands of a few lanes, run the
// scalar maths, store or fold into accumulators. The loops around it are in emit.cc.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "codegen/kernel_spec.h"
#include "codegen/llvm/scalar_emit.h"
#include "codegen/llvm/target.h"

namespace msjit::llvm_backend {

// One vector's worth of points: `width` lanes from `index` on along the innermost dim.
struct Lanes {
  llvm::Value* index;
  int width;
  llvm::Value* mask = nullptr;  // of the lanes that exist; null: all
};

class PointEmitter {
 protected:
  // How often a body node must be computed.
  enum Level : uint8_t { kOnce, kRow, kElement };

  PointEmitter(llvm::Module& module, const KernelSpec& spec, const char* name,
               const HostTarget& target);

  llvm::Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  bool inner_reduced() const { return spec_.is_reduced(inner_); }
  // Extent of a dim: a constant, or an argument of an open kernel.
  llvm::Value* extent(int dim);
  llvm::Value* stride(int32_t operand, int dim);

  // Points each operand at the current row, and computes what is constant along it.
  void enter_row();
  void invariants(Level level);
  // The body at `lanes`: stores, and folds into copy `copy` of the accumulators.
  void element(const Lanes& lanes, int copy);
  // What follows the reductions, once for each point of the kept dims. `folded`: lanes of the
  // accumulators that make up one value; 1 when each lane is a value of its own, found in copy
  // `copy`.
  void tail(const Lanes& lanes, int folded, int copy = 0);

  void reset_accumulators(int copies, int width);
  // Long float32 sums are carried on in double every few thousand elements, as in eager mode.
  bool is_long() const { return long_; }
  void flush(int copies, int width);
  void promote_accumulators();
  void finish_streams();

  const KernelSpec& spec_;
  const HostTarget& target_;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalar_;
  llvm::Function* function_;
  int inner_;                      // innermost dim, -1 when there is none
  int width_ = 1;                  // lanes of a vector
  int unroll_ = 1;                 // independent accumulators of a reduction
  std::vector<llvm::Value*> ivs_;  // loop variables by dim; null outside their loops

 private:
  struct Accumulator {
    llvm::AllocaInst* current;
    llvm::AllocaInst* total = nullptr;  // double, of a long sum
  };
  void load_pointers();
  llvm::Value* size_argument(size_t index);
  void classify();
  void choose_width();
  void make_accumulators();
  Level level_of_operand(int32_t operand) const;
  DType reduce_dtype(const KernelReduce& r) const;
  bool carried(size_t reduce) const;
  Accumulator& accumulator(size_t reduce, int copy, int width);
  llvm::Value* read_accumulator(size_t reduce, int copy, int width);
  llvm::Value* reduced_value(size_t r, const Lanes& lanes, int folded, int copy);

  llvm::Value* compute(const std::vector<ScalarNode>& nodes, size_t i,
                       const std::vector<llvm::Value*>& values, const Lanes& lanes);
  llvm::Value* row_pointer(int32_t operand);
  llvm::Value* address(int32_t operand, llvm::Value* index);
  llvm::Value* load(int32_t operand, const Lanes& lanes);
  llvm::Value* load_strided(int32_t operand, const Lanes& lanes, llvm::Type* type);
  void store(int32_t operand, llvm::Value* value, const Lanes& lanes);

  bool long_ = false;
  llvm::Value* sizes_ = nullptr;              // of an open kernel: the array of its sizes
  std::vector<llvm::Value*> size_arguments_;  // by place in that array
  std::vector<llvm::Value*> bases_, rows_;    // operand pointers: as passed, and at the current row
  std::vector<Level> levels_;
  std::vector<llvm::Value*>
      uniform_;  // by body node: its scalar value where it is constant along the row
  std::vector<Accumulator> vectors_, scalars_;
};

}  // namespace msjit::llvm_backend
