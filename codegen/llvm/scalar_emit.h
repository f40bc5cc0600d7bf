// Scalar maths as LLVM IR. Each ScalarOp works on one value or on a vector of `width` values and
// means exactly what it means in the eager loops. No fast-math flags and no contraction anywhere.
// In registers bool is i1 and 16-bit floats are float; loads and stores convert.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>

#include "codegen/kernel_spec.h"

namespace msjit::llvm_backend {

class ScalarEmitter {
 public:
  explicit ScalarEmitter(llvm::IRBuilder<>& builder) : b_(builder) {}
  // For machines without an exact remainder of floats: `make` returns a function of two doubles.
  void use_remainder(std::function<llvm::Function*()> make) { remainder_ = std::move(make); }

  llvm::Type* memory_type(DType dtype);               // of one element
  llvm::Type* register_type(DType dtype, int width);  // width 1: a scalar
  llvm::Value* from_memory(DType dtype, llvm::Value* loaded, int width);
  llvm::Value* to_memory(DType dtype, llvm::Value* value, int width);
  llvm::Value* splat(llvm::Value* scalar, int width);

  llvm::Value* constant(const ScalarNode& node, int width);
  // Any node but kInput and kConst. `from`: dtype of operand a.
  llvm::Value* op(const ScalarNode& node, DType from, llvm::Value* a, llvm::Value* b,
                  llvm::Value* c, int width);

  llvm::Value* identity(ReduceKind kind, DType dtype, int width);
  llvm::Value* fold(ReduceKind kind, DType dtype, llvm::Value* acc, llvm::Value* x);
  llvm::Value* fold_lanes(ReduceKind kind, DType dtype, llvm::Value* acc, int width);

 private:
  llvm::Value* cast(DType from, DType to, llvm::Value* x, int width);
  llvm::Value* truncate(DType to, llvm::Value* x, int width);
  llvm::Value* round_bfloat16(llvm::Value* x, int width);
  llvm::Value* divide(const ScalarNode& node, llvm::Value* a, llvm::Value* b);
  llvm::Value* compare(ScalarOp op, DType from, llvm::Value* a, llvm::Value* b);
  llvm::Value* int_op(const ScalarNode& node, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* float_op(const ScalarNode& node, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* remainder(llvm::Value* a, llvm::Value* b);
  llvm::Type* widen(llvm::Type* type, int width);
  llvm::Value* zero_of(llvm::Value* like) { return llvm::Constant::getNullValue(like->getType()); }

  llvm::IRBuilder<>& b_;
  std::function<llvm::Function*()> remainder_;
};

}  // namespace msjit::llvm_backend
