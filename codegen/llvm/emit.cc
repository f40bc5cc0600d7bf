#include "codegen/llvm/emit.h"

#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "codegen/llvm/scalar_emit.h"

namespace msjit::llvm_backend {
namespace {

using llvm::Value;

// How often a node must be computed.
enum Level : uint8_t { kOnce, kRow, kElement };

// One vector's worth of points: `width` lanes from `index` on along the innermost dim.
struct Lanes {
  Value* index;
  int width;
  Value* mask = nullptr;  // of the lanes that exist; null: all
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const KernelSpec& spec, const char* name,
                const HostTarget& target)
      : spec_(spec), target_(target), b_(module.getContext()), scalar_(b_) {
    llvm::Type* args[] = {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()};
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), args, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    if (target.vector_bytes == 64) function_->addFnAttr("prefer-vector-width", "512");
    b_.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function_));
    inner_ = spec.dims.rank() - 1;
  }

  llvm::Function* run() {
    load_pointers();
    classify();
    choose_width();
    make_accumulators();
    invariants(kOnce);
    if (inner_ < 0)
      point();
    else
      kept_loop(0);
    b_.CreateRetVoid();
    promote();
    return function_;
  }

 private:
  // ---- preparation
  // -----------------------------------------------------------------------------------------------
  Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }

  void load_pointers() {
    for (size_t i = 0; i < spec_.operands.size(); ++i) {
      Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), i);
      bases_.push_back(b_.CreateLoad(b_.getPtrTy(), slot));
    }
    ivs_.assign(spec_.dims.rank(), nullptr);
    rows_ = bases_;
  }

  Level level_of_operand(int32_t operand) const {
    const Shape& strides = spec_.operands[operand].strides;
    if (inner_ >= 0 && strides[inner_] != 0) return kElement;
    for (Dim s : strides)
      if (s != 0) return kRow;
    return kOnce;
  }

  void classify() {
    for (const ScalarNode& node : spec_.body) {
      Level level = kOnce;
      if (node.op == ScalarOp::kInput)
        level = level_of_operand(node.a);
      else
        for (int32_t operand : {node.a, node.b, node.c})
          if (operand >= 0) level = std::max(level, levels_[operand]);
      levels_.push_back(level);
    }
    uniform_.assign(spec_.body.size(), nullptr);
  }

  // Lanes fill a vector register with the widest type in play.
  void choose_width() {
    int64_t widest = 1;
    for (const KernelOperand& operand : spec_.operands)
      widest = std::max(
          widest, std::max(item_size(operand.dtype), is_float(operand.dtype) ? int64_t{4} : 1));
    for (const ScalarNode& node : spec_.body) widest = std::max(widest, node_bytes(node));
    width_ = std::clamp(static_cast<int>(target_.vector_bytes / widest), 4, 32);
    size_t nodes = spec_.body.size();
    unroll_ = spec_.reduces.empty() ? 1 : nodes <= 16 ? 4 : nodes <= 60 ? 2 : 1;
  }
  static int64_t node_bytes(const ScalarNode& node) {
    return is_float(node.dtype) ? std::max<int64_t>(item_size(node.dtype), 4)
                                : item_size(node.dtype);
  }

  bool inner_reduced() const { return spec_.is_reduced(inner_); }
  DType reduce_dtype(const KernelReduce& r) const {
    DType dtype = spec_.body[r.node].dtype;
    return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
  }

  // One variable a reduction and unrolled copy; promoted to registers at the end.
  void make_accumulators() {
    for (const KernelReduce& r : spec_.reduces)
      for (int u = 0; u < unroll_; ++u) {
        accumulators_.push_back(b_.CreateAlloca(scalar_.register_type(reduce_dtype(r), width_)));
        scalar_accumulators_.push_back(b_.CreateAlloca(scalar_.register_type(reduce_dtype(r), 1)));
      }
  }
  llvm::AllocaInst* accumulator(size_t reduce, int copy, int width) {
    return (width == 1 ? scalar_accumulators_ : accumulators_)[reduce * unroll_ + copy];
  }
  void promote() {
    std::vector<llvm::AllocaInst*> all = accumulators_;
    all.insert(all.end(), scalar_accumulators_.begin(), scalar_accumulators_.end());
    if (all.empty()) return;
    llvm::DominatorTree tree(*function_);
    llvm::PromoteMemToReg(all, tree);
  }

  // ---- loops
  // -----------------------------------------------------------------------------------------------------
  // for (iv = from; iv < to; iv += step) body(iv). Returns the value of iv after the loop.
  template <class Body>
  Value* loop(Value* from, Value* to, int64_t step, Body&& body) {
    llvm::LLVMContext& context = b_.getContext();
    auto* before = b_.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(context, "head", function_);
    auto* inside = llvm::BasicBlock::Create(context, "body", function_);
    auto* after = llvm::BasicBlock::Create(context, "after", function_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* iv = b_.CreatePHI(b_.getInt64Ty(), 2);
    iv->addIncoming(from, before);
    b_.CreateCondBr(b_.CreateICmpSLT(iv, to), inside, after);
    b_.SetInsertPoint(inside);
    body(iv);
    iv->addIncoming(b_.CreateAdd(iv, i64(step), "", true, true), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
    return iv;
  }

  // Loops over the kept dims from `dim` on; the innermost dim is not among them.
  void kept_loop(int dim) {
    while (dim < inner_ && spec_.is_reduced(dim)) ++dim;
    if (dim >= inner_) return inner_reduced() ? fold_rows() : kept_row();
    auto [from, to] = bounds(dim);
    loop(from, to, 1, [&](Value* iv) {
      ivs_[dim] = iv;
      kept_loop(dim + 1);
      ivs_[dim] = nullptr;
    });
  }
  // The first kept dim is the one callers split.
  std::pair<Value*, Value*> bounds(int dim) {
    if (dim == split_dim(spec_)) return {function_->getArg(1), function_->getArg(2)};
    return {i64(0), i64(spec_.dims[dim])};
  }

  template <class Body>
  void reduced_loops(int dim, Body&& body) {
    while (dim < inner_ && !spec_.is_reduced(dim)) ++dim;
    if (dim >= inner_) return body();
    loop(i64(0), i64(spec_.dims[dim]), 1, [&](Value* iv) {
      ivs_[dim] = iv;
      reduced_loops(dim + 1, body);
      ivs_[dim] = nullptr;
    });
  }

  // Points each operand at the current row, and computes what is constant along it.
  void enter_row() {
    for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
    invariants(kRow);
  }
  Value* row_pointer(int32_t operand) {
    Value* offset = nullptr;
    for (int d = 0; d < inner_; ++d) {
      Dim stride = spec_.operands[operand].strides[d];
      if (!ivs_[d] || stride == 0) continue;
      Value* part = b_.CreateMul(ivs_[d], i64(stride), "", true, true);
      offset = offset ? b_.CreateAdd(offset, part, "", true, true) : part;
    }
    if (!offset) return bases_[operand];
    return b_.CreateInBoundsGEP(scalar_.memory_type(spec_.operands[operand].dtype), bases_[operand],
                                offset);
  }

  // A kernel without dims: one point.
  void point() {
    rows_ = bases_;
    reset_accumulators(1, 1);
    element({i64(0), 1}, 0);
    tail({i64(0), 1}, 1);
  }

  // Elementwise row, or one where each lane folds a column.
  void kept_row() {
    auto [from, to] = bounds(inner_);
    if (spec_.reduces.empty()) enter_row();
    int wide = unroll_ * width_;
    Value* at = from;
    bool split = inner_ == split_dim(spec_);
    Dim extent = spec_.dims[inner_];
    if (unroll_ > 1 && extent >= wide)
      at = loop(at, last_start(to, wide), wide,
                [&](Value* iv) { columns(iv, unroll_, width_, nullptr); });
    if (extent >= width_ && (unroll_ == 1 || extent % wide >= width_ || split))
      at = loop(at, last_start(to, width_), width_,
                [&](Value* iv) { columns(iv, 1, width_, nullptr); });
    if (extent % width_ == 0) return;
    if (target_.masked_memory) {
      loop(at, to, width_, [&](Value* iv) { columns(iv, 1, width_, lane_mask(iv, to)); });
    } else {
      loop(at, to, 1, [&](Value* iv) { columns(iv, 1, 1, nullptr); });
    }
  }
  // Bound of a loop whose iterations cover `size` points each: the last start plus one.
  Value* last_start(Value* to, int64_t size) {
    return b_.CreateSub(to, i64(size - 1), "", false, true);
  }

  Value* lane_mask(Value* index, Value* to) {
    Value* left = b_.CreateTrunc(b_.CreateSub(to, index), b_.getInt32Ty());
    std::vector<llvm::Constant*> lanes;
    for (int i = 0; i < width_; ++i) lanes.push_back(b_.getInt32(i));
    return b_.CreateICmpULT(llvm::ConstantVector::get(lanes), scalar_.splat(left, width_));
  }

  // `copies` vectors side by side.
  void columns(Value* index, int copies, int width, Value* mask) {
    auto lanes = [&](int u) {
      return Lanes{u ? b_.CreateAdd(index, i64(u * width), "", true, true) : index, width, mask};
    };
    if (spec_.reduces.empty()) {
      for (int u = 0; u < copies; ++u) element(lanes(u), u);
      return;
    }
    reset_accumulators(copies, width);
    reduced_loops(0, [&] {
      enter_row();
      for (int u = 0; u < copies; ++u) element(lanes(u), u);
    });
    for (int u = 0; u < copies; ++u) tail(lanes(u), 1, u);
  }

  // The innermost dim is folded: vectors run along it, and their lanes are folded at the end.
  void fold_rows() {
    reset_accumulators(unroll_, width_);
    if (!target_.masked_memory) reset_accumulators(1, 1);
    reduced_loops(0, [&] {
      enter_row();
      fold_row(i64(0), i64(spec_.dims[inner_]), spec_.dims[inner_]);
    });
    tail({i64(0), 1}, width_);
  }
  void fold_row(Value* from, Value* to, Dim extent) {
    int wide = unroll_ * width_;
    Value* at = from;
    if (unroll_ > 1 && extent >= wide)
      at = loop(at, last_start(to, wide), wide, [&](Value* iv) {
        for (int u = 0; u < unroll_; ++u)
          element({u ? b_.CreateAdd(iv, i64(u * width_), "", true, true) : iv, width_}, u);
      });
    if (extent % wide >= width_ || (unroll_ == 1 && extent >= width_))
      at = loop(at, last_start(to, width_), width_, [&](Value* iv) { element({iv, width_}, 0); });
    if (extent % width_ == 0) return;
    if (target_.masked_memory) {
      element({at, width_, lane_mask(at, to)}, 0);
    } else {
      loop(at, to, 1, [&](Value* iv) { element({iv, 1}, 0); });
    }
  }

  // ---- maths
  // -----------------------------------------------------------------------------------------------------
  void invariants(Level level) {
    for (size_t i = 0; i < spec_.body.size(); ++i)
      if (levels_[i] == level) uniform_[i] = compute(spec_.body, i, uniform_, {i64(0), 1});
  }

  // The body at `lanes`: stores, and folds into copy `copy` of the accumulators.
  void element(const Lanes& lanes, int copy) {
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
      llvm::AllocaInst* variable = accumulator(r, copy, lanes.width);
      Value* acc = b_.CreateLoad(variable->getAllocatedType(), variable);
      Value* x = scalar_.fold(reduce.kind, reduce_dtype(reduce), acc, values[reduce.node]);
      bool drop = lanes.mask && inner_reduced();
      b_.CreateStore(drop ? b_.CreateSelect(lanes.mask, x, acc) : x, variable);
    }
  }

  Value* compute(const std::vector<ScalarNode>& nodes, size_t i, const std::vector<Value*>& values,
                 const Lanes& lanes) {
    const ScalarNode& node = nodes[i];
    if (node.op == ScalarOp::kConst) return scalar_.constant(node, lanes.width);
    if (node.op == ScalarOp::kInput) return load(node.a, lanes);
    auto at = [&](int32_t n) { return n < 0 ? nullptr : values[n]; };
    return scalar_.op(node, nodes[node.a].dtype, at(node.a), at(node.b), at(node.c), lanes.width);
  }

  void reset_accumulators(int copies, int width) {
    for (size_t r = 0; r < spec_.reduces.size(); ++r)
      for (int u = 0; u < copies; ++u) {
        const KernelReduce& reduce = spec_.reduces[r];
        b_.CreateStore(scalar_.identity(reduce.kind, reduce_dtype(reduce), width),
                       accumulator(r, u, width));
      }
  }

  // The value of a reduction: `width` 1 with `folded` lanes each in the accumulators, or one copy
  // as it is.
  Value* reduced_value(size_t r, const Lanes& lanes, int folded, int copy) {
    ReduceKind kind = spec_.reduces[r].kind;
    DType dtype = reduce_dtype(spec_.reduces[r]);
    auto read = [&](int u, int width) -> Value* {
      llvm::AllocaInst* variable = accumulator(r, u, width);
      return b_.CreateLoad(variable->getAllocatedType(), variable);
    };
    if (folded == 1) return read(copy, lanes.width);
    Value* acc = read(0, folded);
    for (int u = 1; u < unroll_; ++u) acc = scalar_.fold(kind, dtype, acc, read(u, folded));
    acc = scalar_.fold_lanes(kind, dtype, acc, folded);
    if (target_.masked_memory) return acc;
    return scalar_.fold(kind, dtype, acc, read(0, 1));
  }

  // What follows the reductions, once for each point of the kept dims.
  void tail(const Lanes& lanes, int folded, int copy = 0) {
    if (spec_.reduces.empty()) return;
    for (size_t i = 0; i < bases_.size(); ++i) rows_[i] = row_pointer(static_cast<int32_t>(i));
    std::vector<Value*> values(spec_.tail.size());
    for (size_t i = 0; i < spec_.tail.size(); ++i) {
      const ScalarNode& node = spec_.tail[i];
      if (node.op == ScalarOp::kInput && node.a < 0)
        values[i] = reduced_value(-1 - node.a, lanes, folded, copy);
      else
        values[i] = compute(spec_.tail, i, values, lanes);
    }
    for (const KernelStore& s : spec_.tail_stores) store(s.operand, values[s.node], lanes);
  }

  // ---- memory
  // ----------------------------------------------------------------------------------------------------
  Dim inner_stride(int32_t operand) const {
    return inner_ < 0 ? 0 : spec_.operands[operand].strides[inner_];
  }

  Value* address(int32_t operand, Value* index) {
    Dim stride = inner_stride(operand);
    if (stride == 0) return rows_[operand];
    Value* offset = stride == 1 ? index : b_.CreateMul(index, i64(stride), "", true, true);
    return b_.CreateInBoundsGEP(scalar_.memory_type(spec_.operands[operand].dtype), rows_[operand],
                                offset);
  }
  llvm::Align align_of(DType dtype) const {
    return llvm::Align(static_cast<uint64_t>(item_size(dtype)));
  }

  Value* load(int32_t operand, const Lanes& lanes) {
    DType dtype = spec_.operands[operand].dtype;
    llvm::Type* type = scalar_.memory_type(dtype);
    Dim stride = inner_stride(operand);
    if (lanes.width == 1 || stride == 0) {
      Value* one = b_.CreateAlignedLoad(type, address(operand, lanes.index), align_of(dtype));
      return scalar_.splat(scalar_.from_memory(dtype, one, 1), lanes.width);
    }
    if (stride != 1)
      return scalar_.from_memory(dtype, load_strided(operand, lanes, type), lanes.width);
    auto* vector = llvm::FixedVectorType::get(type, lanes.width);
    Value* from = address(operand, lanes.index);
    Value* loaded = lanes.mask
                        ? b_.CreateMaskedLoad(vector, from, align_of(dtype), lanes.mask,
                                              llvm::Constant::getNullValue(vector))
                        : static_cast<Value*>(b_.CreateAlignedLoad(vector, from, align_of(dtype)));
    return scalar_.from_memory(dtype, loaded, lanes.width);
  }

  // Lane by lane. Lanes that do not exist read the last element of the row instead.
  Value* load_strided(int32_t operand, const Lanes& lanes, llvm::Type* type) {
    Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, lanes.width));
    Value* last = i64(spec_.dims[inner_] - 1);
    for (int lane = 0; lane < lanes.width; ++lane) {
      Value* index = b_.CreateAdd(lanes.index, i64(lane), "", true, true);
      if (lanes.mask) index = b_.CreateSelect(b_.CreateICmpSLT(index, last), index, last);
      Value* one = b_.CreateAlignedLoad(type, address(operand, index),
                                        align_of(spec_.operands[operand].dtype));
      result = b_.CreateInsertElement(result, one, static_cast<uint64_t>(lane));
    }
    return result;
  }

  // Outputs are contiguous: along the innermost dim they advance by one, or stay (a folded dim).
  void store(int32_t operand, Value* value, const Lanes& lanes) {
    DType dtype = spec_.operands[operand].dtype;
    Value* to = address(operand, lanes.index);
    value = scalar_.to_memory(dtype, value, lanes.width);
    if (lanes.mask)
      b_.CreateMaskedStore(value, to, align_of(dtype), lanes.mask);
    else
      b_.CreateAlignedStore(value, to, align_of(dtype));
  }

  const KernelSpec& spec_;
  const HostTarget& target_;
  llvm::IRBuilder<> b_;
  ScalarEmitter scalar_;
  llvm::Function* function_;
  int inner_;       // innermost dim, -1 when there is none
  int width_ = 1;   // lanes of a vector
  int unroll_ = 1;  // independent accumulators of a reduction
  std::vector<Value*> bases_, rows_, ivs_;
  std::vector<Level> levels_;
  std::vector<Value*>
      uniform_;  // by body node: its scalar value where it is constant along the row
  std::vector<llvm::AllocaInst*> accumulators_, scalar_accumulators_;
};

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const KernelSpec& spec, const char* name,
                            const HostTarget& target) {
  return KernelEmitter(module, spec, name, target).run();
}

}  // namespace msjit::llvm_backend
