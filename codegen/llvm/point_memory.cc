// Where the points of a kernel are in memory: extents, strides, loads and stores.
#include <llvm/IR/Module.h>

#include "codegen/llvm/point_emit.h"

namespace msjit::llvm_backend {
namespace {

constexpr int64_t kLeastStreamed = 16;  // bytes of a store that can pass the caches

llvm::Align align_of(DType dtype) { return llvm::Align(static_cast<uint64_t>(item_size(dtype))); }

}  // namespace

using llvm::Value;

Value* PointEmitter::extent(int dim) {
  if (dim == spec_.uneven) return uneven_extent_;
  return spec_.open ? size_arguments_[dim] : i64(spec_.dims[dim]);
}

void PointEmitter::enter_chunk(Value* chunk) {
  Value* block = spec_.open ? size_arguments_[spec_.uneven] : i64(spec_.dims[spec_.uneven]);
  Value* total = spec_.open ? size_arguments_.back() : i64(spec_.uneven_total);
  Value* left = b_.CreateSub(total, b_.CreateMul(chunk, block));
  uneven_extent_ = b_.CreateSelect(b_.CreateICmpSLT(left, block), left, block);
}

Value* PointEmitter::stride(int32_t operand, int dim) {
  const Dim known = spec_.operands[operand].strides[dim];
  if (!spec_.open || known == 0 || known == 1) return i64(known);
  const auto rank = static_cast<size_t>(spec_.dims.rank()), at = static_cast<size_t>(operand) + 1;
  return size_arguments_[at * rank + static_cast<size_t>(dim)];
}

Value* PointEmitter::row_pointer(int32_t operand) {
  Value* offset = nullptr;
  for (int d = 0; d < inner_; ++d) {
    if (!ivs_[d] || spec_.operands[operand].strides[d] == 0) continue;
    Value* part = b_.CreateMul(ivs_[d], stride(operand, d), "", true, true);
    offset = offset ? b_.CreateAdd(offset, part, "", true, true) : part;
  }
  if (!offset) return bases_[operand];
  return b_.CreateInBoundsGEP(scalar_.memory_type(spec_.operands[operand].dtype), bases_[operand],
                              offset);
}

Value* PointEmitter::address(int32_t operand, Value* index) {
  const Dim known = inner_ < 0 ? 0 : spec_.operands[operand].strides[inner_];
  if (known == 0) return rows_[operand];
  Value* offset = known == 1 ? index : b_.CreateMul(index, stride(operand, inner_), "", true, true);
  return b_.CreateInBoundsGEP(scalar_.memory_type(spec_.operands[operand].dtype), rows_[operand],
                              offset);
}

llvm::Align PointEmitter::vector_align(DType dtype, int width) const {
  return aligned_ ? llvm::Align(static_cast<uint64_t>(width * item_size(dtype))) : align_of(dtype);
}

Value* PointEmitter::load(int32_t operand, const Lanes& lanes) {
  DType dtype = spec_.operands[operand].dtype;
  llvm::Type* type = scalar_.memory_type(dtype);
  Dim stride = inner_ < 0 ? 0 : spec_.operands[operand].strides[inner_];
  if (lanes.width == 1 || stride == 0) {
    Value* one = b_.CreateAlignedLoad(type, address(operand, lanes.index), align_of(dtype));
    return scalar_.splat(scalar_.from_memory(dtype, one, 1), lanes.width);
  }
  if (stride != 1)
    return scalar_.from_memory(dtype, load_strided(operand, lanes, type), lanes.width);
  auto* vector = llvm::FixedVectorType::get(type, lanes.width);
  Value* from = address(operand, lanes.index);
  Value* loaded = nullptr;
  if (lanes.mask) {
    Value* zero = llvm::Constant::getNullValue(vector);
    loaded = b_.CreateMaskedLoad(vector, from, align_of(dtype), lanes.mask, zero);
  } else {
    loaded = b_.CreateAlignedLoad(vector, from, vector_align(dtype, lanes.width));
  }
  return scalar_.from_memory(dtype, loaded, lanes.width);
}

// Loads lane by lane. Lanes that do not exist read the last element of the row.
Value* PointEmitter::load_strided(int32_t operand, const Lanes& lanes, llvm::Type* type) {
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, lanes.width));
  Value* last = b_.CreateSub(extent(inner_), i64(1), "", true, true);
  llvm::Align align = align_of(spec_.operands[operand].dtype);
  for (int lane = 0; lane < lanes.width; ++lane) {
    Value* index = b_.CreateAdd(lanes.index, i64(lane), "", true, true);
    if (lanes.mask) index = b_.CreateSelect(b_.CreateICmpSLT(index, last), index, last);
    Value* one = b_.CreateAlignedLoad(type, address(operand, index), align);
    result = b_.CreateInsertElement(result, one, static_cast<uint64_t>(lane));
  }
  return result;
}

void PointEmitter::store_where(Value* condition, Value* value, Value* to) {
  auto* inside = llvm::BasicBlock::Create(b_.getContext(), "store", function_);
  auto* after = llvm::BasicBlock::Create(b_.getContext(), "stored", function_);
  b_.CreateCondBr(condition, inside, after);
  b_.SetInsertPoint(inside);
  b_.CreateStore(value, to);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

// Stores with a stride: an output may have another channel order than the loop.
void PointEmitter::store_strided(int32_t operand, Value* value, const Lanes& lanes) {
  const DType dtype = spec_.operands[operand].dtype;
  std::vector<llvm::Constant*> steps;
  for (int lane = 0; lane < lanes.width; ++lane) steps.push_back(b_.getInt64(lane));
  const auto width = static_cast<unsigned>(lanes.width);
  Value* places = b_.CreateAdd(b_.CreateVectorSplat(width, lanes.index),
                               llvm::ConstantVector::get(steps), "", true, true);
  Value* stride = b_.CreateVectorSplat(width, this->stride(operand, inner_));
  Value* to = b_.CreateInBoundsGEP(scalar_.memory_type(dtype), rows_[operand],
                                   b_.CreateMul(places, stride, "", true, true));
  b_.CreateMaskedScatter(value, to, align_of(dtype), lanes.mask);
}

// Along the innermost dim most outputs advance by one element, or not at all (a reduced dim).
void PointEmitter::store(int32_t operand, Value* value, const Lanes& lanes) {
  DType dtype = spec_.operands[operand].dtype;
  value = scalar_.to_memory(dtype, value, lanes.width);
  const Dim along = inner_ < 0 ? 0 : spec_.operands[operand].strides[inner_];
  if (lanes.width > 1 && along != 0 && along != 1) return store_strided(operand, value, lanes);
  Value* to = address(operand, lanes.index);
  if (lanes.mask && lanes.width == 1) return store_where(lanes.mask, value, to);
  if (lanes.mask) {
    b_.CreateMaskedStore(value, to, align_of(dtype), lanes.mask);
    return;
  }
  const int64_t bytes = lanes.width * item_size(dtype);
  const bool streams = spec_.operands[operand].streams && bytes >= kLeastStreamed;
  const llvm::Align align = streams           ? llvm::Align(static_cast<uint64_t>(bytes))
                            : lanes.width > 1 ? vector_align(dtype, lanes.width)
                                              : align_of(dtype);
  llvm::StoreInst* stored = b_.CreateAlignedStore(value, to, align);
  if (!streams) return;
  auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  stored->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b_.getContext(), one));
}

}  // namespace msjit::llvm_backend
