// The accumulators of a kernel's reductions: variables that become registers.
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "codegen/llvm/point_emit.h"

namespace msjit::llvm_backend {

using llvm::Value;

bool PointEmitter::carried(size_t reduce) const {
  const Reduce& r = reduces_[reduce];
  return long_ && r.kind == ReduceKind::kSum && r.dtype == DType::kFloat32;
}

// One variable per reduction and unrolled copy; promote_accumulators() turns them into registers.
void PointEmitter::make_accumulators(const Width& width) {
  width_ = width.lanes;
  unroll_ = width.copies;
  rest_by_one_ = width.rest_by_one;
  combined_.assign(reduces_.size(), nullptr);
  long_ = has_long_sums(spec_);
  auto make = [&](size_t r, int width) {
    Accumulator a{b_.CreateAlloca(scalar_.register_type(reduces_[r].dtype, width))};
    if (carried(r)) a.total = b_.CreateAlloca(scalar_.register_type(DType::kFloat64, width));
    return a;
  };
  for (size_t r = 0; r < reduces_.size(); ++r)
    for (int u = 0; u < unroll_; ++u) {
      vectors_.push_back(make(r, width_));
      scalars_.push_back(make(r, 1));
    }
}

PointEmitter::Accumulator& PointEmitter::accumulator(size_t reduce, int copy, int width) {
  return (width == 1 ? scalars_ : vectors_)[reduce * unroll_ + copy];
}

void PointEmitter::promote_accumulators() {
  std::vector<llvm::AllocaInst*> all;
  for (const auto* list : {&vectors_, &scalars_})
    for (const Accumulator& a : *list) {
      all.push_back(a.current);
      if (a.total) all.push_back(a.total);
    }
  if (all.empty()) return;
  llvm::DominatorTree tree(*function_);
  llvm::PromoteMemToReg(all, tree);
}

void PointEmitter::reset_accumulators(int copies, int width) {
  for (size_t i = 0; i < stage().reduces.size(); ++i)
    for (int u = 0; u < copies; ++u) {
      const size_t r = first_reduce_[stage_] + i;
      const Reduce& reduce = reduces_[r];
      Accumulator& a = accumulator(r, u, width);
      b_.CreateStore(scalar_.identity(reduce.kind, reduce.dtype, width), a.current);
      if (a.total) b_.CreateStore(scalar_.identity(reduce.kind, DType::kFloat64, width), a.total);
    }
}

void PointEmitter::flush(int copies, int width) {
  for (size_t i = 0; i < stage().reduces.size(); ++i)
    for (int u = 0; u < copies; ++u) {
      Accumulator& a = accumulator(first_reduce_[stage_] + i, u, width);
      if (!a.total) continue;
      Value* part = b_.CreateLoad(a.current->getAllocatedType(), a.current);
      Value* total = b_.CreateLoad(a.total->getAllocatedType(), a.total);
      b_.CreateStore(b_.CreateFAdd(total, b_.CreateFPExt(part, total->getType())), a.total);
      b_.CreateStore(llvm::Constant::getNullValue(part->getType()), a.current);
    }
}

// The value of an accumulator; in double for a long sum.
Value* PointEmitter::read_accumulator(size_t reduce, int copy, int width) {
  Accumulator& a = accumulator(reduce, copy, width);
  Value* part = b_.CreateLoad(a.current->getAllocatedType(), a.current);
  if (!a.total) return part;
  Value* total = b_.CreateLoad(a.total->getAllocatedType(), a.total);
  return b_.CreateFAdd(total, b_.CreateFPExt(part, total->getType()));
}

DType PointEmitter::total_dtype(size_t reduce) const {
  return carried(reduce) ? DType::kFloat64 : reduces_[reduce].dtype;
}

Value* PointEmitter::folded_here(size_t r, int width, int folded, int copy) {
  if (folded == 1) return read_accumulator(r, copy, width);
  const ReduceKind kind = reduces_[r].kind;
  const DType total = total_dtype(r);
  Value* acc = read_accumulator(r, 0, folded);
  for (int u = 1; u < unroll_; ++u)
    acc = scalar_.fold(kind, total, acc, read_accumulator(r, u, folded));
  acc = scalar_.fold_lanes(kind, total, acc, folded);
  return rest_by_one_ ? scalar_.fold(kind, total, acc, read_accumulator(r, 0, 1)) : acc;
}

Value* PointEmitter::reduced_value(const ScalarNode& node, const Lanes& lanes, int folded,
                                   int copy) {
  const auto r = static_cast<size_t>(-1 - node.a);
  const DType total = total_dtype(r);
  Value* acc = combined_[r] ? combined_[r] : folded_here(r, lanes.width, folded, copy);
  return is_float(total) ? b_.CreateFPCast(acc, scalar_.register_type(node.dtype, lanes.width))
                         : acc;
}

}  // namespace msjit::llvm_backend
