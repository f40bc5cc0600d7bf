#include "codegen/llvm/point_emit.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

namespace msjit::llvm_backend {
namespace {

using llvm::Value;

constexpr int64_t kLeastStreamed = 16;  // bytes of a store that can pass the caches

int64_t register_bytes(DType dtype) {
  return is_float(dtype) ? std::max<int64_t>(item_size(dtype), 4) : item_size(dtype);
}

}  // namespace

PointEmitter::PointEmitter(llvm::Module& module, const KernelSpec& spec, const char* name,
                           const HostTarget& target)
    : spec_(spec), target_(target), b_(module.getContext()), scalar_(b_) {
  llvm::Type* args[] = {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()};
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), args, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (target.vector_bytes == 64) function_->addFnAttr("prefer-vector-width", "512");
  b_.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function_));
  inner_ = spec.dims.rank() - 1;
  load_pointers();
  classify();
  choose_width();
  make_accumulators();
}

// ---- preparation
// -------------------------------------------------------------------------------------------------
void PointEmitter::load_pointers() {
  for (size_t i = 0; i < spec_.operands.size(); ++i) {
    Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), i);
    bases_.push_back(b_.CreateLoad(b_.getPtrTy(), slot));
  }
  ivs_.assign(spec_.dims.rank(), nullptr);
  rows_ = bases_;
  if (!spec_.open) return;
  Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), bases_.size());
  sizes_ = b_.CreateLoad(b_.getPtrTy(), slot);
  const size_t rank = static_cast<size_t>(spec_.dims.rank());
  for (size_t i = 0; i < rank * (1 + bases_.size()); ++i)
    size_arguments_.push_back(size_argument(i));
}

// All are loaded at the start; those that nobody asks for go with the dead code.
Value* PointEmitter::size_argument(size_t index) {
  Value* from = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), sizes_, index);
  return b_.CreateLoad(b_.getInt64Ty(), from);
}

Value* PointEmitter::extent(int dim) {
  return spec_.open ? size_arguments_[dim] : i64(spec_.dims[dim]);
}

Value* PointEmitter::stride(int32_t operand, int dim) {
  const Dim known = spec_.operands[operand].strides[dim];
  if (!spec_.open || known == 0 || known == 1) return i64(known);
  return size_arguments_[static_cast<size_t>((operand + 1) * spec_.dims.rank() + dim)];
}

PointEmitter::Level PointEmitter::level_of_operand(int32_t operand) const {
  const Shape& strides = spec_.operands[operand].strides;
  if (inner_ >= 0 && strides[inner_] != 0) return kElement;
  for (Dim s : strides)
    if (s != 0) return kRow;
  return kOnce;
}

void PointEmitter::classify() {
  for (const ScalarNode& node : spec_.body) {
    Level level = kOnce;
    if (node.op == ScalarOp::kInput) {
      level = level_of_operand(node.a);
    } else {
      for (int32_t operand : {node.a, node.b, node.c})
        if (operand >= 0) level = std::max(level, levels_[operand]);
    }
    levels_.push_back(level);
  }
  uniform_.assign(spec_.body.size(), nullptr);
}

// Lanes fill a vector register with the widest type that varies along the innermost dim. (Python's
// numbers are doubles, converted before the loop.)
void PointEmitter::choose_width() {
  int64_t widest = 1;
  for (size_t i = 0; i < spec_.operands.size(); ++i) {
    bool varies = level_of_operand(static_cast<int32_t>(i)) == kElement;
    if (varies) widest = std::max(widest, register_bytes(spec_.operands[i].dtype));
  }
  for (size_t i = 0; i < spec_.body.size(); ++i)
    if (levels_[i] == kElement) widest = std::max(widest, register_bytes(spec_.body[i].dtype));
  for (const KernelReduce& r : spec_.reduces)
    widest = std::max(widest, register_bytes(spec_.body[r.node].dtype));
  width_ = std::clamp(static_cast<int>(target_.vector_bytes / widest), 4, 32);
  size_t nodes = spec_.body.size();
  unroll_ = spec_.reduces.empty() ? 1 : nodes <= 16 ? 4 : nodes <= 60 ? 2 : 1;
}

// ---- accumulators
// ------------------------------------------------------------------------------------------------
DType PointEmitter::reduce_dtype(const KernelReduce& r) const {
  DType dtype = spec_.body[r.node].dtype;
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
}

bool PointEmitter::carried(size_t reduce) const {
  const KernelReduce& r = spec_.reduces[reduce];
  return long_ && r.kind == ReduceKind::kSum && reduce_dtype(r) == DType::kFloat32;
}

// Variables, one a reduction and unrolled copy; they become registers at the end.
void PointEmitter::make_accumulators() {
  long_ = has_long_sums(spec_);
  auto make = [&](size_t r, int width) {
    Accumulator a{b_.CreateAlloca(scalar_.register_type(reduce_dtype(spec_.reduces[r]), width))};
    if (carried(r)) a.total = b_.CreateAlloca(scalar_.register_type(DType::kFloat64, width));
    return a;
  };
  for (size_t r = 0; r < spec_.reduces.size(); ++r)
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
  for (size_t r = 0; r < spec_.reduces.size(); ++r)
    for (int u = 0; u < copies; ++u) {
      const KernelReduce& reduce = spec_.reduces[r];
      Accumulator& a = accumulator(r, u, width);
      b_.CreateStore(scalar_.identity(reduce.kind, reduce_dtype(reduce), width), a.current);
      if (a.total) b_.CreateStore(scalar_.identity(reduce.kind, DType::kFloat64, width), a.total);
    }
}

void PointEmitter::flush(int copies, int width) {
  for (size_t r = 0; r < spec_.reduces.size(); ++r)
    for (int u = 0; u < copies; ++u) {
      Accumulator& a = accumulator(r, u, width);
      if (!a.total) continue;
      Value* part = b_.CreateLoad(a.current->getAllocatedType(), a.current);
      Value* total = b_.CreateLoad(a.total->getAllocatedType(), a.total);
      b_.CreateStore(b_.CreateFAdd(total, b_.CreateFPExt(part, total->getType())), a.total);
      b_.CreateStore(llvm::Constant::getNullValue(part->getType()), a.current);
    }
}

// In double for a long sum.
Value* PointEmitter::read_accumulator(size_t reduce, int copy, int width) {
  Accumulator& a = accumulator(reduce, copy, width);
  Value* part = b_.CreateLoad(a.current->getAllocatedType(), a.current);
  if (!a.total) return part;
  Value* total = b_.CreateLoad(a.total->getAllocatedType(), a.total);
  return b_.CreateFAdd(total, b_.CreateFPExt(part, total->getType()));
}

Value* PointEmitter::reduced_value(size_t r, const Lanes& lanes, int folded, int copy) {
  ReduceKind kind = spec_.reduces[r].kind;
  DType dtype = reduce_dtype(spec_.reduces[r]);
  DType total = carried(r) ? DType::kFloat64 : dtype;
  Value* acc = nullptr;
  if (folded == 1) {
    acc = read_accumulator(r, copy, lanes.width);
  } else {
    acc = read_accumulator(r, 0, folded);
    for (int u = 1; u < unroll_; ++u)
      acc = scalar_.fold(kind, total, acc, read_accumulator(r, u, folded));
    acc = scalar_.fold_lanes(kind, total, acc, folded);
    if (!target_.masked_memory) acc = scalar_.fold(kind, total, acc, read_accumulator(r, 0, 1));
  }
  return total == dtype ? acc : b_.CreateFPTrunc(acc, scalar_.register_type(dtype, lanes.width));
}

// ---- maths
// -------------------------------------------------------------------------------------------------------
void PointEmitter::enter_row() {
  for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
  invariants(kRow);
}

void PointEmitter::invariants(Level level) {
  for (size_t i = 0; i < spec_.body.size(); ++i)
    if (levels_[i] == level) uniform_[i] = compute(spec_.body, i, uniform_, {i64(0), 1});
}

void PointEmitter::element(const Lanes& lanes, int copy) {
  std::vector<Value*> values(spec_.body.size());
  for (size_t i = 0; i < spec_.body.size(); ++i) {
    if (levels_[i] == kElement)
      values[i] = compute(spec_.body, i, values, lanes);
    else if (spec_.body[i].op == ScalarOp::kConst)
      values[i] = scalar_.constant(spec_.body[i], lanes.width);
    else
      values[i] = scalar_.splat(uniform_[i], lanes.width);
  }
  for (const KernelStore& s : spec_.stores) store(s.operand, values[s.node], lanes);
  for (size_t r = 0; r < spec_.reduces.size(); ++r) {
    const KernelReduce& reduce = spec_.reduces[r];
    llvm::AllocaInst* variable = accumulator(r, copy, lanes.width).current;
    Value* acc = b_.CreateLoad(variable->getAllocatedType(), variable);
    Value* x = scalar_.fold(reduce.kind, reduce_dtype(reduce), acc, values[reduce.node]);
    bool drop = lanes.mask && inner_reduced();
    b_.CreateStore(drop ? b_.CreateSelect(lanes.mask, x, acc) : x, variable);
  }
}

Value* PointEmitter::compute(const std::vector<ScalarNode>& nodes, size_t i,
                             const std::vector<Value*>& values, const Lanes& lanes) {
  const ScalarNode& node = nodes[i];
  if (node.op == ScalarOp::kConst) return scalar_.constant(node, lanes.width);
  if (node.op == ScalarOp::kInput) return load(node.a, lanes);
  auto at = [&](int32_t n) { return n < 0 ? nullptr : values[n]; };
  return scalar_.op(node, nodes[node.a].dtype, at(node.a), at(node.b), at(node.c), lanes.width);
}

void PointEmitter::tail(const Lanes& lanes, int folded, int copy) {
  if (spec_.reduces.empty()) return;
  for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
  std::vector<Value*> values(spec_.tail.size());
  for (size_t i = 0; i < spec_.tail.size(); ++i) {
    const ScalarNode& node = spec_.tail[i];
    bool reduced = node.op == ScalarOp::kInput && node.a < 0;
    values[i] = reduced ? reduced_value(-1 - node.a, lanes, folded, copy)
                        : compute(spec_.tail, i, values, lanes);
  }
  for (const KernelStore& s : spec_.tail_stores) store(s.operand, values[s.node], lanes);
}

// ---- memory
// ------------------------------------------------------------------------------------------------------
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

static llvm::Align align_of(DType dtype) {
  return llvm::Align(static_cast<uint64_t>(item_size(dtype)));
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
    loaded = b_.CreateAlignedLoad(vector, from, align_of(dtype));
  }
  return scalar_.from_memory(dtype, loaded, lanes.width);
}

// Lane by lane. Lanes that do not exist read the last element of the row instead.
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

// Outputs are contiguous: along the innermost dim they advance by one, or stay (a folded dim).
void PointEmitter::store(int32_t operand, Value* value, const Lanes& lanes) {
  DType dtype = spec_.operands[operand].dtype;
  Value* to = address(operand, lanes.index);
  value = scalar_.to_memory(dtype, value, lanes.width);
  if (lanes.mask) {
    b_.CreateMaskedStore(value, to, align_of(dtype), lanes.mask);
    return;
  }
  const int64_t bytes = lanes.width * item_size(dtype);
  const bool streams = spec_.operands[operand].streams && bytes >= kLeastStreamed;
  const llvm::Align align = streams ? llvm::Align(static_cast<uint64_t>(bytes)) : align_of(dtype);
  llvm::StoreInst* stored = b_.CreateAlignedStore(value, to, align);
  if (!streams) return;
  auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  stored->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(b_.getContext(), one));
}

// Streamed stores are not ordered with those that tell other threads that the kernel is done.
void PointEmitter::finish_streams() {
  if (std::ranges::any_of(spec_.operands, &KernelOperand::streams))
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

}  // namespace msjit::llvm_backend
