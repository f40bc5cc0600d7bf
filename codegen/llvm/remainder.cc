// The remainder of two doubles by integer arithmetic: long division of the mantissas, one bit of
// the quotient at a time. Every double, denormals included, is m * 2^(e - 1075) with an integer m
// below 2^53 and e at least 1. So no step rounds.
#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/device_emit.h"

namespace msjit::llvm_backend {
namespace {

using llvm::Value;

constexpr uint64_t kMantissa = (uint64_t{1} << 52) - 1;

class RemainderEmitter {
 public:
  RemainderEmitter(llvm::Module& module, const std::string& name) : b_(module.getContext()) {
    llvm::Type* number = b_.getDoubleTy();
    auto* type = llvm::FunctionType::get(number, {number, number}, false);
    function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
  }

  llvm::Function* run() {
    b_.SetInsertPoint(new_block("entry"));
    Value *x = function_->getArg(0), *y = function_->getArg(1);
    Value *low = magnitude(x), *by = magnitude(y);
    Value* infinity = llvm::ConstantFP::getInfinity(b_.getDoubleTy());
    Value* undefined = b_.CreateOr(b_.CreateFCmpUNO(low, by), b_.CreateFCmpUEQ(low, infinity));
    undefined = b_.CreateOr(undefined, b_.CreateFCmpUEQ(by, zero()));
    return_if(undefined, llvm::ConstantFP::getNaN(b_.getDoubleTy()));
    return_if(b_.CreateFCmpOLT(low, by), x);
    const Parts a = parts(low), d = parts(by);
    Value* rest = divide(a, d);
    // Exact: the product of an integer below 2^53 and a power of two, and it is representable.
    Value* size = b_.CreateFMul(b_.CreateUIToFP(rest, b_.getDoubleTy()), power(d.exponent));
    b_.CreateRet(b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, x));
    return function_;
  }

 private:
  struct Parts {
    Value *mantissa, *exponent;
  };

  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }
  Value* zero() { return llvm::ConstantFP::get(b_.getDoubleTy(), 0.0); }
  Value* magnitude(Value* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

  void return_if(Value* condition, Value* result) {
    auto *found = new_block("found"), *next = new_block("next");
    b_.CreateCondBr(condition, found, next);
    b_.SetInsertPoint(found);
    b_.CreateRet(result);
    b_.SetInsertPoint(next);
  }

  Parts parts(Value* positive) {
    Value* bits = b_.CreateBitCast(positive, b_.getInt64Ty());
    Value* field = b_.CreateLShr(bits, 52);
    Value* fraction = b_.CreateAnd(bits, kMantissa);
    Value* denormal = b_.CreateICmpEQ(field, b_.getInt64(0));
    return {b_.CreateSelect(denormal, fraction, b_.CreateOr(fraction, kMantissa + 1)),
            b_.CreateSelect(denormal, b_.getInt64(1), field)};
  }

  // The mantissa of the remainder, relative to the divisor's exponent.
  Value* divide(const Parts& a, const Parts& d) {
    auto* before = b_.GetInsertBlock();
    auto *head = new_block("head"), *step = new_block("step"), *done = new_block("done");
    Value* start = b_.CreateURem(a.mantissa, d.mantissa);
    Value* count = b_.CreateSub(a.exponent, d.exponent);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode *rest = b_.CreatePHI(b_.getInt64Ty(), 2),
                  *left = b_.CreatePHI(b_.getInt64Ty(), 2);
    rest->addIncoming(start, before);
    left->addIncoming(count, before);
    b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(0)), step, done);
    b_.SetInsertPoint(step);
    Value* twice = b_.CreateShl(rest, 1);
    Value* less = b_.CreateSub(twice, d.mantissa);
    rest->addIncoming(b_.CreateSelect(b_.CreateICmpUGE(twice, d.mantissa), less, twice), step);
    left->addIncoming(b_.CreateSub(left, b_.getInt64(1)), step);
    b_.CreateBr(head);
    b_.SetInsertPoint(done);
    return rest;
  }

  // 2^(exponent - 1075), a denormal for exponents up to 52.
  Value* power(Value* exponent) {
    Value* last = b_.getInt64(52);
    Value* normal = b_.CreateShl(b_.CreateSub(exponent, last), 52);
    Value* places = b_.CreateAnd(b_.CreateSub(exponent, b_.getInt64(1)), 63);
    Value* denormal = b_.CreateShl(b_.getInt64(1), places);
    Value* bits = b_.CreateSelect(b_.CreateICmpUGT(exponent, last), normal, denormal);
    return b_.CreateBitCast(bits, b_.getDoubleTy());
  }

  llvm::IRBuilder<> b_;
  llvm::Function* function_;
};

}  // namespace

llvm::Function* emit_remainder(llvm::Module& module, const std::string& name) {
  if (llvm::Function* known = module.getFunction(name)) return known;
  return RemainderEmitter(module, name).run();
}

}  // namespace msjit::llvm_backend
