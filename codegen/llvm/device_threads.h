// Emits how a GPU's threads find their place and exchange values: their index, and one value
// reduced over the threads of a warp or a block.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "codegen/device_kernel.h"
#include "codegen/llvm/scalar_emit.h"

namespace msjit::llvm_backend {

class DeviceThreads {
 public:
  DeviceThreads(llvm::IRBuilder<>& builder, ScalarEmitter& scalar, const DeviceShape& shape)
      : b_(builder), scalar_(scalar), shape_(shape) {}
  // Emitted at the start of the kernel.
  void enter(const std::string& kernel_name);

  // As int64.
  llvm::Value* thread() const { return thread_; }
  llvm::Value* block() const { return block_; }
  llvm::Value* num_blocks() const { return num_blocks_; }
  // folder: the index among the threads that reduce one value. value: which of the block's values
  // it is.
  llvm::Value* folder() const { return folder_; }
  llvm::Value* value() const { return value_; }

  // Reduces `own` over all threads that work on one value. Every one of these threads gets the
  // result.
  llvm::Value* combine(ReduceKind kind, DType dtype, llvm::Value* own);

 private:
  llvm::Value* fold_warp(ReduceKind kind, DType dtype, llvm::Value* own);
  llvm::Value* fold_shared(ReduceKind kind, DType dtype, llvm::Value* own);
  llvm::Value* shuffle(llvm::Intrinsic::ID id, llvm::Value* value, int32_t lane);
  llvm::Value* slot(llvm::Value* index);
  void barrier();

  llvm::IRBuilder<>& b_;
  ScalarEmitter& scalar_;
  const DeviceShape shape_;
  llvm::Value *thread_ = nullptr, *block_ = nullptr, *num_blocks_ = nullptr;
  llvm::Value *folder_ = nullptr, *value_ = nullptr;
  llvm::GlobalVariable* shared_ = nullptr;
};

}  // namespace msjit::llvm_backend
