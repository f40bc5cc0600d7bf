#include "codegen/llvm/scalar_emit.h"

#include <cmath>
#include <limits>

namespace msjit::llvm_backend {
namespace {

using llvm::Intrinsic::ID;

bool is_signed(DType dtype) { return !is_unsigned(dtype) && dtype != DType::kBool; }

int bits_of(DType dtype) {
  switch (dtype) {
    case DType::kBool: return 1;
    case DType::kUInt8:
    case DType::kInt8: return 8;
    case DType::kInt16:
    case DType::kUInt16: return 16;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32: return 32;
    case DType::kFloat16:
    case DType::kBFloat16: return 32;  // held as float32
    default: break;
  }
  return 64;
}

}  // namespace

llvm::Type* ScalarEmitter::widen(llvm::Type* type, int width) {
  return width == 1 ? type : llvm::FixedVectorType::get(type, width);
}

llvm::Type* ScalarEmitter::memory_type(DType dtype) {
  switch (dtype) {
    case DType::kBool: return b_.getInt8Ty();
    case DType::kFloat16: return b_.getHalfTy();
    case DType::kBFloat16: return b_.getInt16Ty();
    default: return register_type(dtype, 1);
  }
}

llvm::Type* ScalarEmitter::register_type(DType dtype, int width) {
  if (dtype == DType::kFloat64) return widen(b_.getDoubleTy(), width);
  if (is_float(dtype)) return widen(b_.getFloatTy(), width);
  return widen(b_.getIntNTy(bits_of(dtype)), width);
}

llvm::Value* ScalarEmitter::from_memory(DType dtype, llvm::Value* loaded, int width) {
  switch (dtype) {
    case DType::kBool: return b_.CreateICmpNE(loaded, zero_of(loaded));
    case DType::kFloat16: return b_.CreateFPExt(loaded, register_type(dtype, width));
    case DType::kBFloat16: {
      llvm::Value* bits = b_.CreateZExt(loaded, widen(b_.getInt32Ty(), width));
      return b_.CreateBitCast(b_.CreateShl(bits, 16), register_type(dtype, width));
    }
    default: return loaded;
  }
}

llvm::Value* ScalarEmitter::to_memory(DType dtype, llvm::Value* value, int width) {
  llvm::Type* type = widen(memory_type(dtype), width);
  switch (dtype) {
    case DType::kBool: return b_.CreateZExt(value, type);
    case DType::kFloat16: return b_.CreateFPTrunc(value, type);
    case DType::kBFloat16: {  // values stored here have been rounded; their low halves are zero
      llvm::Value* bits = b_.CreateBitCast(value, widen(b_.getInt32Ty(), width));
      return b_.CreateTrunc(b_.CreateLShr(bits, 16), type);
    }
    default: return value;
  }
}

llvm::Value* ScalarEmitter::splat(llvm::Value* scalar, int width) {
  return width == 1 ? scalar : b_.CreateVectorSplat(width, scalar);
}

llvm::Value* ScalarEmitter::constant(const ScalarNode& node, int width) {
  llvm::Type* type = register_type(node.dtype, width);
  if (is_float(node.dtype)) {
    double value =
        node.dtype == DType::kFloat64 ? node.imm_float : static_cast<float>(node.imm_float);
    return llvm::ConstantFP::get(type, value);
  }
  return llvm::ConstantInt::getSigned(type,
                                      is_bool(node.dtype) ? -(node.imm_int != 0) : node.imm_int);
}

// As BFloat16(float): round to nearest even, NaN stays NaN; the result is kept in a float32.
llvm::Value* ScalarEmitter::round_bfloat16(llvm::Value* x, int width) {
  llvm::Type* type = widen(b_.getInt32Ty(), width);
  auto imm = [&](uint32_t v) { return llvm::ConstantInt::get(type, v); };
  llvm::Value* bits = b_.CreateBitCast(x, type);
  llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(bits, 16), imm(1));
  llvm::Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(odd, imm(0x7fff)));
  llvm::Value* is_nan = b_.CreateFCmpUNO(x, x);
  llvm::Value* result = b_.CreateSelect(is_nan, b_.CreateOr(bits, imm(0x400000)), rounded);
  return b_.CreateBitCast(b_.CreateAnd(result, imm(0xffff0000u)), x->getType());
}

// As truncate_to() of kernels/core/scalar_num.h. LLVM leaves the conversion of a float that the
// integer cannot hold undefined, so such floats are replaced before it.
llvm::Value* ScalarEmitter::truncate(DType to, llvm::Value* x, int width) {
  llvm::Type* type = register_type(to, width);
  const int bits = 8 * static_cast<int>(item_size(to));
  if (bits < 32) return b_.CreateIntCast(truncate(DType::kInt32, x, width), type, true);
  const auto number = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  const double end = std::ldexp(1.0, bits - 1);
  llvm::Value* lowest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
  if (!is_signed(to)) {
    llvm::Value* high = b_.CreateFCmpOGE(x, number(end));
    llvm::Value* within = b_.CreateSelect(high, b_.CreateFSub(x, number(end)), x);
    llvm::Value* rest = truncate(bits == 32 ? DType::kInt32 : DType::kInt64, within, width);
    return b_.CreateSelect(high, b_.CreateXor(rest, lowest), rest);
  }
  llvm::Value* inside =
      b_.CreateAnd(b_.CreateFCmpOGE(x, number(-end)), b_.CreateFCmpOLT(x, number(end)));
  llvm::Value* whole = b_.CreateFPToSI(b_.CreateSelect(inside, x, zero_of(x)), type);
  return b_.CreateSelect(inside, whole, lowest);
}

llvm::Value* ScalarEmitter::cast(DType from, DType to, llvm::Value* x, int width) {
  llvm::Type* type = register_type(to, width);
  if (to == DType::kFloat16) {
    llvm::Value* narrow = b_.CreateFPTrunc(x, widen(b_.getHalfTy(), width));
    return b_.CreateFPExt(narrow, type);
  }
  if (to == DType::kBFloat16) return round_bfloat16(x, width);
  if (is_bool(to))
    return is_float(from) ? b_.CreateFCmpUNE(x, zero_of(x)) : b_.CreateICmpNE(x, zero_of(x));
  if (is_float(from)) {
    if (is_float(to)) return b_.CreateFPCast(x, type);
    return truncate(to, x, width);
  }
  if (is_float(to)) return is_signed(from) ? b_.CreateSIToFP(x, type) : b_.CreateUIToFP(x, type);
  return b_.CreateIntCast(x, type, is_signed(from));
}

llvm::Value* ScalarEmitter::compare(ScalarOp op, DType from, llvm::Value* a, llvm::Value* b) {
  using P = llvm::CmpInst::Predicate;
  bool s = is_signed(from);
  if (is_float(from)) {
    P p = op == ScalarOp::kLt   ? P::FCMP_OLT
          : op == ScalarOp::kLe ? P::FCMP_OLE
          : op == ScalarOp::kEq ? P::FCMP_OEQ
                                : P::FCMP_UNE;
    return b_.CreateFCmp(p, a, b);
  }
  P p = op == ScalarOp::kLt   ? (s ? P::ICMP_SLT : P::ICMP_ULT)
        : op == ScalarOp::kLe ? (s ? P::ICMP_SLE : P::ICMP_ULE)
        : op == ScalarOp::kEq ? P::ICMP_EQ
                              : P::ICMP_NE;
  return b_.CreateICmp(p, a, b);
}

// Division by zero gives 0 and the one overflowing quotient wraps. Neither may reach the hardware's
// divide instruction.
llvm::Value* ScalarEmitter::divide(const ScalarNode& node, llvm::Value* a, llvm::Value* b) {
  bool quotient = node.op == ScalarOp::kDiv, s = is_signed(node.dtype);
  llvm::Value* zero = zero_of(b);
  llvm::Value* one = llvm::ConstantInt::get(b->getType(), 1);
  llvm::Value* bad = b_.CreateICmpEQ(b, zero);
  llvm::Value* minus = nullptr;
  llvm::Value* skip = bad;
  if (s) {
    minus = b_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType()));
    skip = b_.CreateOr(bad, minus);
  }
  llvm::Value* safe = b_.CreateSelect(skip, one, b);
  llvm::Value* result = quotient ? (s ? b_.CreateSDiv(a, safe) : b_.CreateUDiv(a, safe))
                                 : (s ? b_.CreateSRem(a, safe) : b_.CreateURem(a, safe));
  if (s) result = b_.CreateSelect(minus, quotient ? b_.CreateNeg(a) : zero, result);
  return b_.CreateSelect(bad, zero, result);
}

llvm::Value* ScalarEmitter::int_op(const ScalarNode& node, llvm::Value* a, llvm::Value* b,
                                   llvm::Value* c) {
  bool s = is_signed(node.dtype);
  switch (node.op) {
    case ScalarOp::kAdd: return b_.CreateAdd(a, b);
    case ScalarOp::kSub: return b_.CreateSub(a, b);
    case ScalarOp::kMul: return b_.CreateMul(a, b);
    case ScalarOp::kFma: return b_.CreateAdd(b_.CreateMul(a, b), c);
    case ScalarOp::kDiv:
    case ScalarOp::kRem: return divide(node, a, b);
    case ScalarOp::kNeg: return b_.CreateNeg(a);
    case ScalarOp::kAbs:
      return s ? b_.CreateSelect(b_.CreateICmpSLT(a, zero_of(a)), b_.CreateNeg(a), a) : a;
    case ScalarOp::kMin: return b_.CreateSelect(compare(ScalarOp::kLt, node.dtype, a, b), a, b);
    case ScalarOp::kMax: return b_.CreateSelect(compare(ScalarOp::kLt, node.dtype, b, a), a, b);
    case ScalarOp::kAnd: return b_.CreateAnd(a, b);
    case ScalarOp::kOr: return b_.CreateOr(a, b);
    case ScalarOp::kXor: return b_.CreateXor(a, b);
    case ScalarOp::kNot: return b_.CreateNot(a);
    case ScalarOp::kShl:
    case ScalarOp::kShr: {
      llvm::Value* mask = llvm::ConstantInt::get(b->getType(), bits_of(node.dtype) - 1);
      llvm::Value* count = b_.CreateAnd(b, mask);
      if (node.op == ScalarOp::kShl) return b_.CreateShl(a, count);
      return s ? b_.CreateAShr(a, count) : b_.CreateLShr(a, count);
    }
    default: return nullptr;
  }
}

// Lane by lane, in double: the remainder of two float32 is exact in double and is a float32.
llvm::Value* ScalarEmitter::remainder(llvm::Value* a, llvm::Value* b) {
  llvm::Function* function = remainder_();
  const auto one = [&](llvm::Value* x, llvm::Value* y) {
    llvm::Value* wide[] = {b_.CreateFPCast(x, b_.getDoubleTy()),
                           b_.CreateFPCast(y, b_.getDoubleTy())};
    return b_.CreateFPCast(b_.CreateCall(function, wide), x->getType());
  };
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (!vector) return one(a, b);
  llvm::Value* all = llvm::PoisonValue::get(vector);
  for (uint64_t i = 0; i < vector->getNumElements(); ++i)
    all = b_.CreateInsertElement(
        all, one(b_.CreateExtractElement(a, i), b_.CreateExtractElement(b, i)), i);
  return all;
}

llvm::Value* ScalarEmitter::float_op(const ScalarNode& node, llvm::Value* a, llvm::Value* b,
                                     llvm::Value* c) {
  auto unary = [&](ID id) { return b_.CreateUnaryIntrinsic(id, a); };
  switch (node.op) {
    case ScalarOp::kAdd: return b_.CreateFAdd(a, b);
    case ScalarOp::kSub: return b_.CreateFSub(a, b);
    case ScalarOp::kMul: return b_.CreateFMul(a, b);
    case ScalarOp::kDiv: return b_.CreateFDiv(a, b);
    case ScalarOp::kRem: return remainder_ ? remainder(a, b) : b_.CreateFRem(a, b);
    case ScalarOp::kNeg: return b_.CreateFNeg(a);
    case ScalarOp::kAbs: return unary(llvm::Intrinsic::fabs);
    case ScalarOp::kMin: return b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b);
    case ScalarOp::kMax: return b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b);
    case ScalarOp::kFma: return b_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
    case ScalarOp::kSqrt: return unary(llvm::Intrinsic::sqrt);
    case ScalarOp::kFloor: return unary(llvm::Intrinsic::floor);
    case ScalarOp::kCeil: return unary(llvm::Intrinsic::ceil);
    case ScalarOp::kTrunc: return unary(llvm::Intrinsic::trunc);
    case ScalarOp::kRint: return unary(llvm::Intrinsic::rint);
    default: return nullptr;
  }
}

llvm::Value* ScalarEmitter::op(const ScalarNode& node, DType from, llvm::Value* a, llvm::Value* b,
                               llvm::Value* c, int width) {
  switch (node.op) {
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kEq:
    case ScalarOp::kNe: return compare(node.op, from, a, b);
    case ScalarOp::kSelect: return b_.CreateSelect(a, b, c);
    case ScalarOp::kCast: return cast(from, node.dtype, a, width);
    case ScalarOp::kBitcast: return b_.CreateBitCast(a, register_type(node.dtype, width));
    default: break;
  }
  return is_float(node.dtype) ? float_op(node, a, b, c) : int_op(node, a, b, c);
}

llvm::Value* ScalarEmitter::identity(ReduceKind kind, DType dtype, int width) {
  llvm::Type* type = register_type(dtype, width);
  bool lowest = kind == ReduceKind::kMax;
  if (kind == ReduceKind::kSum) return llvm::Constant::getNullValue(type);
  if (is_float(dtype)) {
    if (kind == ReduceKind::kProd) return llvm::ConstantFP::get(type, 1.0);
    return llvm::ConstantFP::getInfinity(type, lowest);
  }
  if (kind == ReduceKind::kProd) return llvm::ConstantInt::get(type, 1);
  int bits = bits_of(dtype);
  llvm::APInt value =
      is_signed(dtype)
          ? (lowest ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits))
          : (lowest ? llvm::APInt::getMinValue(bits) : llvm::APInt::getMaxValue(bits));
  return llvm::ConstantInt::get(type, value);
}

// Maximum and minimum propagate NaN: x replaces acc when it is better or NaN; no x is better than a
// NaN.
llvm::Value* ScalarEmitter::fold(ReduceKind kind, DType dtype, llvm::Value* acc, llvm::Value* x) {
  bool f = is_float(dtype);
  switch (kind) {
    case ReduceKind::kSum:
      if (is_bool(dtype)) return b_.CreateOr(acc, x);
      return f ? b_.CreateFAdd(acc, x) : b_.CreateAdd(acc, x);
    case ReduceKind::kProd:
      if (is_bool(dtype)) return b_.CreateAnd(acc, x);
      return f ? b_.CreateFMul(acc, x) : b_.CreateMul(acc, x);
    default: break;
  }
  bool max = kind == ReduceKind::kMax;
  if (!f)
    return b_.CreateSelect(compare(ScalarOp::kLt, dtype, max ? acc : x, max ? x : acc), x, acc);
  llvm::Value* better = max ? b_.CreateFCmpOGT(x, acc) : b_.CreateFCmpOLT(x, acc);
  return b_.CreateSelect(b_.CreateOr(better, b_.CreateFCmpUNO(x, x)), x, acc);
}

llvm::Value* ScalarEmitter::fold_lanes(ReduceKind kind, DType dtype, llvm::Value* acc, int width) {
  for (int half = width / 2; half >= 1; half /= 2) {
    llvm::SmallVector<int, 32> low, high;
    for (int i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(i + half);
    }
    llvm::Value* other = b_.CreateShuffleVector(acc, high);
    acc = fold(kind, dtype, b_.CreateShuffleVector(acc, low), other);
  }
  return width == 1 ? acc : b_.CreateExtractElement(acc, uint64_t{0});
}

}  // namespace msjit::llvm_backend
