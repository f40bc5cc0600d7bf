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
// Operations on a vector that depend on each other: more than a processor looks ahead to the next
// one. Several vectors at a time keep it busy.
constexpr size_t kLongBody = 96, kFewNodes = 16;

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
  for (const KernelStage& stage : spec.stages) classify(stage);
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
  for (size_t i = 0; i < rank * (1 + bases_.size()) + (spec_.uneven >= 0); ++i)
    size_arguments_.push_back(size_argument(i));
}

// All are loaded at the start; those that nobody asks for go with the dead code.
Value* PointEmitter::size_argument(size_t index) {
  Value* from = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), sizes_, index);
  return b_.CreateLoad(b_.getInt64Ty(), from);
}

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

void PointEmitter::Varies::join(const Varies& other) {
  inner |= other.inner;
  folded |= other.folded;
  ever |= other.ever;
}

PointEmitter::Varies PointEmitter::varies(int32_t operand) const {
  // What has been reduced is one value for the lanes that fold it together.
  if (operand < 0) return {.inner = !inner_reduced(), .ever = true};
  Varies v;
  for (int d = 0; d <= inner_; ++d)
    if (spec_.operands[operand].strides[d] != 0)
      v.join({.inner = d == inner_, .folded = spec_.is_reduced(d), .ever = true});
  return v;
}

PointEmitter::Level PointEmitter::level_of(const Varies& v) const {
  if (!v.ever) return kOnce;
  if (!v.inner) return kRow;
  return spec_.has_reduces() && !inner_reduced() && !v.folded ? kColumn : kElement;
}

void PointEmitter::classify(const KernelStage& stage) {
  std::vector<Varies> all;
  for (const ScalarNode& node : stage.body) {
    Varies& v = all.emplace_back();
    if (node.op == ScalarOp::kInput) {
      v = varies(node.a);
    } else {
      for (int32_t operand : {node.a, node.b, node.c})
        if (operand >= 0) v.join(all[static_cast<size_t>(operand)]);
    }
  }
  std::vector<Level>& levels = levels_.emplace_back();
  for (const Varies& v : all) levels.push_back(level_of(v));
  uniform_.emplace_back(stage.body.size(), nullptr);
  first_reduce_.push_back(reduces_.size());
  for (const KernelReduce& r : stage.reduces)
    reduces_.push_back({r.kind, compute_type(stage.body[static_cast<size_t>(r.node)].dtype)});
}

// Where several vectors at once cost no more than one: the rest of a row is masked, or short beside
// it.
bool PointEmitter::is_long_row() const {
  return target_.masked_memory ||
         (is_fixed(inner_) && inner_ >= 0 && spec_.dims[inner_] >= 16 * width_);
}

// Lanes fill a vector register with the widest type that varies along the innermost dim. (Python's
// numbers are doubles, converted before the loop.)
void PointEmitter::choose_width() {
  int64_t widest = 1;
  const auto widen = [&](DType dtype) { widest = std::max(widest, register_bytes(dtype)); };
  for (size_t i = 0; i < spec_.operands.size(); ++i)
    if (varies(static_cast<int32_t>(i)).inner) widen(spec_.operands[i].dtype);
  size_t nodes = 0;  // of the largest stage
  for (size_t s = 0; s < spec_.stages.size(); ++s) {
    const std::vector<ScalarNode>& body = spec_.stages[s].body;
    for (size_t i = 0; i < body.size(); ++i)
      if (levels_[s][i] >= kColumn) widen(body[i].dtype);
    nodes = std::max(nodes, body.size());
  }
  for (const Reduce& r : reduces_) widen(r.dtype);
  width_ = std::clamp(static_cast<int>(target_.vector_bytes / widest), 4, 32);
  // A few lanes of bytes are stored as slowly as a whole register of them.
  for (const KernelStore& store : spec_.stages.back().stores)
    if (const int64_t bytes = register_bytes(spec_.operands[store.operand].dtype);
        bytes == 1 && reduces_.empty() && nodes <= kFewNodes && is_long_row())
      width_ = std::max(width_, static_cast<int>(target_.vector_bytes));
  // Code of more vectors takes longer to make.
  if (nodes > kLongBody && is_long_row()) width_ = std::min((nodes > 300 ? 2 : 4) * width_, 64);
  unroll_ = reduces_.empty() ? 1 : nodes <= kFewNodes ? 4 : nodes <= 60 ? 2 : 1;
}

// ---- accumulators
// ------------------------------------------------------------------------------------------------
bool PointEmitter::carried(size_t reduce) const {
  const Reduce& r = reduces_[reduce];
  return long_ && r.kind == ReduceKind::kSum && r.dtype == DType::kFloat32;
}

// Variables, one a reduction and unrolled copy; they become registers at the end.
void PointEmitter::make_accumulators() {
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

// In double for a long sum.
Value* PointEmitter::read_accumulator(size_t reduce, int copy, int width) {
  Accumulator& a = accumulator(reduce, copy, width);
  Value* part = b_.CreateLoad(a.current->getAllocatedType(), a.current);
  if (!a.total) return part;
  Value* total = b_.CreateLoad(a.total->getAllocatedType(), a.total);
  return b_.CreateFAdd(total, b_.CreateFPExt(part, total->getType()));
}

Value* PointEmitter::reduced_value(const ScalarNode& node, const Lanes& lanes, int folded,
                                   int copy) {
  const auto r = static_cast<size_t>(-1 - node.a);
  const auto [kind, dtype] = reduces_[r];
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
  return is_float(total) ? b_.CreateFPCast(acc, scalar_.register_type(node.dtype, lanes.width))
                         : acc;
}

// ---- maths
// -------------------------------------------------------------------------------------------------------
void PointEmitter::enter_kernel() {
  for (size_t s = 0; s < spec_.stages.size(); ++s) compute_uniform(s, kOnce);
}

void PointEmitter::enter_stage(size_t stage) {
  stage_ = stage;
  folded_.assign(reduces_.size(), nullptr);
  for (const ScalarNode& node : this->stage().body)
    if (node.op == ScalarOp::kInput && node.a < 0)
      folded_[static_cast<size_t>(-1 - node.a)] = reduced_value(node, {i64(0), 1}, width_, 0);
  reset_accumulators(unroll_, width_);
  if (!target_.masked_memory) reset_accumulators(1, 1);
}

void PointEmitter::enter_stage(size_t stage, std::span<const Lanes> columns) {
  stage_ = stage;
  const int copies = static_cast<int>(columns.size());
  columns_.assign(columns.size(), {});
  enter_row();
  for (int u = 0; u < copies; ++u) compute_columns(columns[static_cast<size_t>(u)], u);
  reset_accumulators(copies, columns[0].width);
}

void PointEmitter::enter_row() {
  for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
  compute_uniform(stage_, kRow);
}

void PointEmitter::compute_uniform(size_t stage, Level level) {
  const std::vector<ScalarNode>& body = spec_.stages[stage].body;
  std::vector<Value*>& values = uniform_[stage];
  for (size_t i = 0; i < body.size(); ++i)
    if (levels_[stage][i] == level) values[i] = compute(body, i, values, {i64(0), 1});
}

void PointEmitter::compute_columns(const Lanes& lanes, int copy) {
  const std::vector<ScalarNode>& body = stage().body;
  std::vector<Value*>& values = columns_[static_cast<size_t>(copy)];
  values.assign(body.size(), nullptr);
  for (size_t i = 0; i < body.size(); ++i) {
    const ScalarNode& node = body[i];
    if (levels_[stage_][i] < kColumn)
      values[i] = across(i, lanes.width);
    else if (levels_[stage_][i] == kColumn)
      values[i] = node.op == ScalarOp::kInput && node.a < 0 ? reduced_value(node, lanes, 1, copy)
                                                            : compute(body, i, values, lanes);
  }
}

// A value that is constant along the row, in all lanes.
Value* PointEmitter::across(size_t i, int width) {
  const ScalarNode& node = stage().body[i];
  if (node.op == ScalarOp::kConst) return scalar_.constant(node, width);
  return scalar_.splat(uniform_[stage_][i], width);
}

void PointEmitter::element(const Lanes& lanes, int copy) {
  const std::vector<ScalarNode>& body = stage().body;
  std::vector<Value*> values(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    const Level level = levels_[stage_][i];
    values[i] = level == kElement  ? compute(body, i, values, lanes)
                : level == kColumn ? columns_[static_cast<size_t>(copy)][i]
                                   : across(i, lanes.width);
  }
  for (const KernelStore& s : stage().stores) store(s.operand, values[s.node], lanes);
  for (size_t i = 0; i < stage().reduces.size(); ++i) {
    const KernelReduce& reduce = stage().reduces[i];
    const size_t r = first_reduce_[stage_] + i;
    llvm::AllocaInst* variable = accumulator(r, copy, lanes.width).current;
    Value* acc = b_.CreateLoad(variable->getAllocatedType(), variable);
    Value* x = scalar_.fold(reduce.kind, reduces_[r].dtype, acc, values[reduce.node]);
    bool drop = lanes.mask && inner_reduced();
    b_.CreateStore(drop ? b_.CreateSelect(lanes.mask, x, acc) : x, variable);
  }
}

Value* PointEmitter::compute(const std::vector<ScalarNode>& nodes, size_t i,
                             const std::vector<Value*>& values, const Lanes& lanes) {
  const ScalarNode& node = nodes[i];
  if (node.op == ScalarOp::kConst) return scalar_.constant(node, lanes.width);
  if (node.op == ScalarOp::kInput)
    return node.a < 0 ? folded_[static_cast<size_t>(-1 - node.a)] : load(node.a, lanes);
  auto at = [&](int32_t n) { return n < 0 ? nullptr : values[n]; };
  return scalar_.op(node, nodes[node.a].dtype, at(node.a), at(node.b), at(node.c), lanes.width);
}

void PointEmitter::tail(const Lanes& lanes, int folded, int copy) {
  if (reduces_.empty()) return;
  for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
  std::vector<Value*> values(spec_.tail.size());
  for (size_t i = 0; i < spec_.tail.size(); ++i) {
    const ScalarNode& node = spec_.tail[i];
    bool reduced = node.op == ScalarOp::kInput && node.a < 0;
    values[i] =
        reduced ? reduced_value(node, lanes, folded, copy) : compute(spec_.tail, i, values, lanes);
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
