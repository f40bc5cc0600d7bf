#include "codegen/llvm/emit.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "codegen/llvm/point_emit.h"

namespace msjit::llvm_backend {
namespace {

using llvm::Value;

// Long sums are flushed after so many elements of a row, or of the column that one lane reduces.
constexpr int64_t kRowBlock = 4096, kColumnBlock = 64;
// A body with more operations is so long that the processor cannot start the next vector early,
// since operations on a vector depend on each other. Several vectors at a time keep it busy.
constexpr size_t kLongBody = 96, kFewNodes = 16;

int64_t register_bytes(DType dtype) {
  return is_float(dtype) ? std::max<int64_t>(item_size(dtype), 4) : item_size(dtype);
}

llvm::Function* make_function(llvm::Module& module, const char* name, const HostTarget& target) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* number = llvm::Type::getInt64Ty(context);
  llvm::Type* args[] = {llvm::PointerType::get(context, 0), number, number};
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), args, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if (target.vector_bytes == 64) function->addFnAttr("prefer-vector-width", "512");
  return function;
}

class KernelEmitter final : PointEmitter {
 public:
  KernelEmitter(llvm::Module& module, const KernelSpec& spec, const char* name,
                const HostTarget& target)
      : PointEmitter(spec, make_function(module, name, target)), target_(target) {
    load_arguments();
    make_accumulators(choose_width());
  }

  llvm::Function* run() {
    enter_kernel();
    if (inner_ < 0)
      point();
    else
      kept_loops(0);
    finish_streams();
    b_.CreateRetVoid();
    promote_accumulators();
    return function_;
  }

 private:
  void load_arguments() {
    std::vector<Value*> operands, numbers;
    for (size_t i = 0; i < spec_.operands.size(); ++i) operands.push_back(pointer(i));
    if (spec_.open) {
      // All sizes are loaded at the start; unused loads are removed as dead code.
      Value* sizes = pointer(operands.size());
      const auto rank = static_cast<size_t>(spec_.dims.rank());
      for (size_t i = 0; i < rank * (1 + operands.size()) + (spec_.uneven >= 0); ++i)
        numbers.push_back(b_.CreateLoad(b_.getInt64Ty(),
                                        b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), sizes, i)));
    }
    set_arguments(std::move(operands), std::move(numbers));
  }
  Value* pointer(size_t index) {
    Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), index);
    return b_.CreateLoad(b_.getPtrTy(), slot);
  }

  // Whether several vectors at a time cost no more than one: the rest of the row is masked, or
  // short compared with the row.
  bool is_long_row(int width) const {
    return target_.masked_memory ||
           (is_fixed(inner_) && inner_ >= 0 && spec_.dims[inner_] >= 16 * width);
  }

  // The lanes of the widest type that varies along the innermost dim fill a vector register.
  // (Python numbers are doubles, but they are converted before the loop.)
  Width choose_width() const {
    int64_t widest = 1;
    const auto widen = [&](DType dtype) { widest = std::max(widest, register_bytes(dtype)); };
    for (size_t i = 0; i < spec_.operands.size(); ++i)
      if (varies(static_cast<int32_t>(i)).inner) widen(spec_.operands[i].dtype);
    size_t nodes = 0;  // of the largest stage
    for (size_t s = 0; s < spec_.stages.size(); ++s) {
      const std::vector<ScalarNode>& body = spec_.stages[s].body;
      for (size_t i = 0; i < body.size(); ++i)
        if (level_of(s, i) >= kColumn) widen(body[i].dtype);
      nodes = std::max(nodes, body.size());
    }
    for (const Reduce& r : reduces()) widen(r.dtype);
    int width = std::clamp(static_cast<int>(target_.vector_bytes / widest), 4, 32);
    // Storing a few lanes of bytes takes as long as storing a whole register of them.
    for (const KernelStore& store : spec_.stages.back().stores)
      if (const int64_t bytes = register_bytes(spec_.operands[store.operand].dtype);
          bytes == 1 && reduces().empty() && nodes <= kFewNodes && is_long_row(width))
        width = std::max(width, target_.vector_bytes);
    // The number of vectors is bounded, because more code takes longer to compile.
    if (nodes > kLongBody && is_long_row(width))
      width = std::min((nodes > 300 ? 2 : 4) * width, 64);
    const int copies = reduces().empty() ? 1 : nodes <= kFewNodes ? 4 : nodes <= 60 ? 2 : 1;
    return {width, copies, !target_.masked_memory};
  }

  // Streamed stores are not ordered with the stores that tell other threads that the kernel is
  // done; a fence orders them.
  void finish_streams() {
    if (std::ranges::any_of(spec_.operands, &KernelOperand::streams))
      b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  }

  template <class Body>
  Value* loop(Value* from, Value* to, int64_t step, Body&& body) {
    return PointEmitter::loop(from, to, i64(step), body);
  }

  // Emits `body` for the range of `dim` in pieces of at most `block`.
  template <class Body>
  void blocks(int dim, int64_t block, Body&& body) {
    const Dim known = spec_.dims[dim];
    Value* end = extent(dim);
    if (is_fixed(dim) && known <= block) return body(i64(0), end);
    loop(i64(0), end, block, [&](Value* from) {
      Value* to = b_.CreateAdd(from, i64(block), "", true, true);
      if (!is_fixed(dim) || known % block) to = b_.CreateSelect(b_.CreateICmpSLT(to, end), to, end);
      body(from, to);
    });
  }

  // Which loops along the innermost dim are worth emitting. For an unknown extent all are emitted.
  struct Passes {
    bool wide, narrow, rest;
  };
  Passes passes(bool split) const {
    if (!is_fixed(inner_)) return {unroll_ > 1, true, true};
    const Dim along = spec_.dims[inner_];
    const int wide = unroll_ * width_;
    return {unroll_ > 1 && along >= wide,
            along >= width_ && (unroll_ == 1 || along % wide >= width_ || split),
            along % width_ != 0};
  }

  // A kernel without dims: one point.
  void point() {
    const Lanes lanes{i64(0), 1};
    for (size_t s = 0; s < spec_.stages.size(); ++s) {
      enter_stage(s, {&lanes, 1});
      element(lanes, 0);
    }
    tail(lanes, 1);
  }

  // Emits loops over the kept dims from `dim` on, except the innermost dim.
  void kept_loops(int dim) {
    while (dim < inner_ && spec_.is_reduced(dim)) ++dim;
    if (dim >= inner_) return inner_reduced() ? fold_rows() : kept_row();
    auto [from, to] = bounds(dim);
    loop(from, to, 1, [&](Value* iv) {
      ivs_[dim] = iv;
      if (dim == 0 && spec_.uneven >= 0) enter_chunk(iv);
      kept_loops(dim + 1);
      ivs_[dim] = nullptr;
    });
  }
  // Callers split the first kept dim among threads.
  std::pair<Value*, Value*> bounds(int dim) {
    if (dim == split_dim(spec_)) return {function_->getArg(1), function_->getArg(2)};
    return {i64(0), extent(dim)};
  }

  // Emits loops over the reduced dims except the innermost. `flush_here` flushes long sums from
  // time to time.
  template <class Body, class Flush>
  void reduced_loops(int dim, Body&& body, Flush&& flush_here) {
    while (dim < inner_ && !spec_.is_reduced(dim)) ++dim;
    if (dim >= inner_) return body();
    int next = dim + 1;
    while (next < inner_ && !spec_.is_reduced(next)) ++next;
    auto walk = [&](Value* from, Value* to) {
      loop(from, to, 1, [&](Value* iv) {
        ivs_[dim] = iv;
        reduced_loops(dim + 1, body, flush_here);
        ivs_[dim] = nullptr;
      });
    };
    if (next < inner_ || !is_long()) return walk(i64(0), extent(dim));
    blocks(dim, kColumnBlock, [&](Value* from, Value* to) {
      walk(from, to);
      flush_here();
    });
  }

  // ---- the innermost dim is kept: elementwise, or each lane reduces a column
  void kept_row() {
    const auto range = bounds(inner_);
    Value *at = range.first, *to = range.second;
    if (!spec_.has_reduces()) enter_row();
    int wide = unroll_ * width_;
    const Passes worth = passes(inner_ == split_dim(spec_));
    if (worth.wide)
      at = loop(at, last_start(to, wide), wide,
                [&](Value* iv) { columns(iv, unroll_, width_, nullptr); });
    if (worth.narrow)
      at = loop(at, last_start(to, width_), width_,
                [&](Value* iv) { columns(iv, 1, width_, nullptr); });
    if (!worth.rest) return;
    if (target_.masked_memory) {
      loop(at, to, width_, [&](Value* iv) { columns(iv, 1, width_, lane_mask(iv, to)); });
    } else {
      loop(at, to, 1, [&](Value* iv) { columns(iv, 1, 1, nullptr); });
    }
  }
  // The bound of a loop whose iterations cover `size` points each: the last possible start plus
  // one.
  Value* last_start(Value* to, int64_t size) {
    return b_.CreateSub(to, i64(size - 1), "", false, true);
  }

  Value* lane_mask(Value* index, Value* to) {
    Value* left = b_.CreateTrunc(b_.CreateSub(to, index), b_.getInt32Ty());
    std::vector<llvm::Constant*> lanes;
    for (int i = 0; i < width_; ++i) lanes.push_back(b_.getInt32(i));
    return b_.CreateICmpULT(llvm::ConstantVector::get(lanes), scalar_.splat(left, width_));
  }

  // Computes `copies` adjacent vectors.
  void columns(Value* index, int copies, int width, Value* mask) {
    std::vector<Lanes> all;
    for (int u = 0; u < copies; ++u) all.push_back({advance(index, u * width), width, mask});
    auto elements = [&] {
      for (int u = 0; u < copies; ++u) element(all[static_cast<size_t>(u)], u);
    };
    if (!spec_.has_reduces()) return elements();
    for (size_t s = 0; s < spec_.stages.size(); ++s) {
      enter_stage(s, all);
      reduced_loops(
          0,
          [&] {
            enter_row();
            elements();
          },
          [&] { flush(copies, width); });
    }
    for (int u = 0; u < copies; ++u) tail(all[static_cast<size_t>(u)], 1, u);
  }
  Value* advance(Value* index, int by) {
    return by ? b_.CreateAdd(index, i64(by), "", true, true) : index;
  }

  // ---- the innermost dim is reduced: vectors run along it, and their lanes are reduced at the end
  void fold_rows() {
    for (size_t s = 0; s < spec_.stages.size(); ++s) {
      enter_stage(s);
      reduced_loops(
          0,
          [&] {
            enter_row();
            if (!is_long()) return fold_row(i64(0), extent(inner_));
            blocks(inner_, kRowBlock, [&](Value* from, Value* to) {
              fold_row(from, to);
              flush(unroll_, width_);
            });
          },
          [] {});
    }
    tail({i64(0), 1}, width_);
  }
  // Part of a row. The length of every part except the last is a multiple of all vector sizes.
  void fold_row(Value* from, Value* to) {
    int wide = unroll_ * width_;
    Value* at = from;
    const Passes worth = passes(false);
    if (worth.wide)
      at = loop(at, last_start(to, wide), wide, [&](Value* iv) {
        for (int u = 0; u < unroll_; ++u) element({advance(iv, u * width_), width_}, u);
      });
    if (worth.narrow)
      at = loop(at, last_start(to, width_), width_, [&](Value* iv) { element({iv, width_}, 0); });
    if (!worth.rest) return;
    if (target_.masked_memory && !is_fixed(inner_)) {
      loop(at, to, width_, [&](Value* iv) { element({iv, width_, lane_mask(iv, to)}, 0); });
    } else if (target_.masked_memory) {
      element({at, width_, lane_mask(at, to)}, 0);
    } else {
      loop(at, to, 1, [&](Value* iv) { element({iv, 1}, 0); });
    }
  }

  const HostTarget& target_;
};

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const KernelSpec& spec, const char* name,
                            const HostTarget& target) {
  return KernelEmitter(module, spec, name, target).run();
}

}  // namespace msjit::llvm_backend
