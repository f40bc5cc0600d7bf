// PointEmitter emits what a kernel does at one place of its iteration space: load the operands of a
// few lanes, run the scalar maths, store, or reduce into accumulators. It knows no machine. The
// loops around it and the number of lanes belong to emit.cc (host) and device_emit.cc (GPUs).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "codegen/kernel_spec.h"
#include "codegen/llvm/scalar_emit.h"

namespace msjit::llvm_backend {

// One vector's worth of points: `width` lanes from `index` on along the innermost dim.
struct Lanes {
  llvm::Value* index;
  int width;
  llvm::Value* mask = nullptr;  // lanes that exist; null: all. With one lane: whether it stores
};

struct Width {
  int lanes = 1;             // of a vector
  int copies = 1;            // independent accumulators of a reduction
  bool rest_by_one = false;  // points that fill no vector go lane by lane, into scalar accumulators
};

class PointEmitter {
 protected:
  // How often a body node must be computed. kColumn applies when each lane reduces its own column:
  // the value does not change down the column.
  enum Level : uint8_t { kOnce, kRow, kColumn, kElement };

  // Begins the body of `function`. set_arguments() and then make_accumulators() must follow.
  PointEmitter(const KernelSpec& spec, llvm::Function* function);
  // `sizes`: of an open kernel, in the order of open_spec.
  void set_arguments(std::vector<llvm::Value*> operands, std::vector<llvm::Value*> sizes);
  void make_accumulators(const Width& width);

  // Whether a value changes along the innermost dim, along reduced dims, or at all.
  struct Varies {
    bool inner = false, folded = false, ever = false;
    void join(const Varies& other);
  };
  Varies varies(int32_t operand) const;
  Level level_of(size_t stage, size_t node) const { return levels_[stage][node]; }
  struct Reduce {
    ReduceKind kind;
    DType dtype;  // of the accumulator
  };
  const std::vector<Reduce>& reduces() const { return reduces_; }

  llvm::Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }
  // for (iv = from; iv < to; iv += step) body(iv). Returns the value of iv after the loop.
  template <class Body>
  llvm::Value* loop(llvm::Value* from, llvm::Value* to, llvm::Value* step, Body&& body) {
    auto* before = b_.GetInsertBlock();
    auto *head = new_block("head"), *inside = new_block("body"), *after = new_block("after");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* iv = b_.CreatePHI(b_.getInt64Ty(), 2);
    iv->addIncoming(from, before);
    b_.CreateCondBr(b_.CreateICmpSLT(iv, to), inside, after);
    b_.SetInsertPoint(inside);
    body(iv);
    iv->addIncoming(b_.CreateAdd(iv, step, "", true, true), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
    return iv;
  }
  bool inner_reduced() const { return inner_ >= 0 && spec_.is_reduced(inner_); }
  // The extent of a dim: a constant, or an argument of an open kernel.
  llvm::Value* extent(int dim);
  llvm::Value* stride(int32_t operand, int dim);
  // Whether the extent is a constant in the code.
  bool is_fixed(int dim) const { return !spec_.open && dim != spec_.uneven; }
  // From here on extent() of the uneven dim is that of this chunk; the last chunk is shorter.
  void enter_chunk(llvm::Value* chunk);

  // Computes what is constant in the whole run, for all stages.
  void enter_kernel();
  // Starts a stage. Either all lanes reduce one point of the kept dims together, or each lane
  // reduces its own column.
  void enter_stage(size_t stage);
  void enter_stage(size_t stage, std::span<const Lanes> columns);
  // Sets each operand's pointer to the current row and computes what is constant along it.
  void enter_row();
  // Emits the body at `lanes`: stores, and reduces into copy `copy` of the accumulators.
  void element(const Lanes& lanes, int copy);
  // Emits what follows the reductions, once per point of the kept dims. `folded`: how many
  // accumulator lanes make up one value. It is 1 when each lane is a separate value, found in copy
  // `copy`.
  void tail(const Lanes& lanes, int folded, int copy = 0);

  // Long float32 sums are added to a double every few thousand elements, as in eager mode; flush()
  // does it.
  bool is_long() const { return long_; }
  void flush(int copies, int width);
  void promote_accumulators();

  // For kernels whose threads reduce one value together. folded_here() is this thread's part of a
  // reduction. The kernel combines the parts of all threads and passes the result, in
  // total_dtype(), to set_combined().
  size_t first_reduce(size_t stage) const { return first_reduce_[stage]; }
  DType total_dtype(size_t reduce) const;
  llvm::Value* folded_here(size_t reduce, int width, int folded, int copy);
  void set_combined(size_t reduce, llvm::Value* value) { combined_[reduce] = value; }
  // Whether vectors of the innermost dim start at multiples of their size from here on.
  void set_aligned(bool aligned) { aligned_ = aligned; }

  const KernelSpec& spec_;
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
  void classify(const KernelStage& stage);
  Level level_of(const Varies& v) const;
  const KernelStage& stage() const { return spec_.stages[stage_]; }
  void start_stage(size_t stage);
  void reset_accumulators(int copies, int width);
  void compute_uniform(size_t stage, Level level);
  void compute_columns(const Lanes& lanes, int copy);
  llvm::Value* across(size_t node, int width);
  bool carried(size_t reduce) const;
  Accumulator& accumulator(size_t reduce, int copy, int width);
  llvm::Value* read_accumulator(size_t reduce, int copy, int width);
  // The value of the reduction that `node` reads, in the node's dtype.
  llvm::Value* reduced_value(const ScalarNode& node, const Lanes& lanes, int folded, int copy);

  llvm::Value* compute(const std::vector<ScalarNode>& nodes, size_t i,
                       const std::vector<llvm::Value*>& values, const Lanes& lanes);
  llvm::Value* row_pointer(int32_t operand);
  llvm::Value* address(int32_t operand, llvm::Value* index);
  llvm::Value* load(int32_t operand, const Lanes& lanes);
  llvm::Value* load_strided(int32_t operand, const Lanes& lanes, llvm::Type* type);
  llvm::Align vector_align(DType dtype, int width) const;
  void store(int32_t operand, llvm::Value* value, const Lanes& lanes);
  void store_strided(int32_t operand, llvm::Value* value, const Lanes& lanes);
  void store_where(llvm::Value* condition, llvm::Value* value, llvm::Value* to);

  bool long_ = false, rest_by_one_ = false, aligned_ = false;
  std::vector<llvm::Value*> size_arguments_;  // in the order of set_arguments()
  llvm::Value* uneven_extent_ = nullptr;      // of the current chunk
  std::vector<llvm::Value*> bases_, rows_;    // operand pointers: as passed, and at the current row
  std::vector<Reduce> reduces_;               // of all stages
  std::vector<size_t> first_reduce_;          // by stage
  std::vector<std::vector<Level>> levels_;    // by stage and body node
  // By stage and body node: the scalar value of a node that is constant along the row.
  std::vector<std::vector<llvm::Value*>> uniform_;
  std::vector<Accumulator> vectors_, scalars_;
  std::vector<llvm::Value*> combined_;  // by reduction; null: folded_here() is the whole value
  // Of the current stage:
  size_t stage_ = 0;
  std::vector<llvm::Value*> folded_;                // by reduction: its value, unless by column
  std::vector<std::vector<llvm::Value*>> columns_;  // by copy and body node
};

}  // namespace msjit::llvm_backend
