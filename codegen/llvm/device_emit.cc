#include "codegen/llvm/device_emit.h"

#include <bit>

#include "codegen/llvm/device_threads.h"
#include "codegen/llvm/point_emit.h"

namespace msjit::llvm_backend {
namespace {

using llvm::Value;

constexpr int64_t kFlushEvery = 64;  // steps of a thread between two flushes of a long sum

llvm::Function* make_function(llvm::Module& module, const KernelSpec& spec, const char* name) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> types(spec.operands.size(),
                                 llvm::PointerType::get(context, kGlobalSpace));
  const auto rank = static_cast<size_t>(spec.dims.rank());
  if (spec.open)
    types.resize(types.size() + rank * (1 + spec.operands.size()) + (spec.uneven >= 0),
                 llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

// Streaming is for the host only: a GPU kernel has no stores past the caches that need whole
// vectors.
KernelSpec without_streams(KernelSpec spec) {
  for (KernelOperand& operand : spec.operands) operand.streams = false;
  return spec;
}

class DeviceEmitter final : PointEmitter {
 public:
  DeviceEmitter(llvm::Module& module, const KernelSpec& spec, const char* name)
      : PointEmitter(spec, make_function(module, spec, name)),
        shape_(device_shape(spec)),
        threads_(b_, scalar_, shape_) {
    std::vector<Value*> operands, sizes;
    for (llvm::Argument& argument : function_->args())
      (argument.getType()->isPointerTy() ? operands : sizes).push_back(&argument);
    set_arguments(std::move(operands), std::move(sizes));
    make_accumulators({shape_.lanes, 1, true});
    scalar_.use_remainder(
        [&module, name] { return emit_remainder(module, std::string(name) + "_remainder"); });
    threads_.enter(name);
    for (int d = 0; d <= inner_; ++d) (spec.is_reduced(d) ? folded_dims_ : kept_dims_).push_back(d);
  }

  llvm::Function* run() {
    enter_kernel();
    if (shape_.lanes > 1) aligned_rows_ = rows_are_aligned();
    if (inner_ < 0)
      single_point();
    else if (shape_.kind == DeviceShape::kPoints)
      points();
    else if (shape_.kind == DeviceShape::kRows)
      rows();
    else
      columns();
    b_.CreateRetVoid();
    promote_accumulators();
    return function_;
  }

 private:
  using Dims = std::vector<int>;

  Value* plus(Value* a, Value* b) { return b_.CreateAdd(a, b, "", true, true); }
  Value* times(Value* a, Value* b) { return b_.CreateMul(a, b, "", true, true); }

  template <class Yes, class No>
  void branch(Value* condition, Yes&& yes, No&& no) {
    auto *then = new_block("then"), *otherwise = new_block("else"), *after = new_block("after");
    b_.CreateCondBr(condition, then, otherwise);
    b_.SetInsertPoint(then);
    yes();
    b_.CreateBr(after);
    b_.SetInsertPoint(otherwise);
    no();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  Value* count(const Dims& dims) {
    Value* all = i64(1);
    for (int d : dims) all = times(all, extent(d));
    return all;
  }

  // Whether index arithmetic over `dims` fits into 32 bits: division is then much cheaper.
  bool is_small(const Dims& dims) const {
    int64_t all = 1;
    for (int d : dims) {
      if (!is_fixed(d)) return false;
      all *= spec_.dims[d];
    }
    return all < (int64_t{1} << 31);
  }

  // Computes the place of point `index` along each of `dims`; the last one advances by `lanes`.
  void enter_point(const Dims& dims, Value* index, int lanes) {
    const bool small = is_small(dims);
    llvm::Type* type = small ? b_.getInt32Ty() : b_.getInt64Ty();
    Value* rest = b_.CreateIntCast(index, type, false);
    for (size_t i = dims.size(); i-- > 0;) {
      Value* along = b_.CreateIntCast(extent(dims[i]), type, false);
      if (i + 1 == dims.size() && lanes > 1)
        along = b_.CreateUDiv(along, llvm::ConstantInt::get(type, static_cast<uint64_t>(lanes)));
      Value* here = i ? b_.CreateURem(rest, along) : rest;
      if (i) rest = b_.CreateUDiv(rest, along);
      ivs_[dims[i]] = b_.CreateIntCast(here, b_.getInt64Ty(), false);
    }
    if (lanes > 1) ivs_[dims.back()] = times(ivs_[dims.back()], i64(lanes));
  }
  void leave_point(const Dims& dims) {
    for (int d : dims) ivs_[d] = nullptr;
  }

  // Whether all rows that are read in vectors start at a multiple of the vector size.
  Value* rows_are_aligned() {
    Value* all = b_.getTrue();
    for (size_t i = 0; i < spec_.operands.size(); ++i) {
      if (spec_.operands[i].strides[inner_] != 1) continue;
      const auto operand = static_cast<int32_t>(i);
      const int64_t bytes = item_size(spec_.operands[i].dtype);
      Value* bits = b_.CreatePtrToInt(function_->getArg(static_cast<unsigned>(i)), b_.getInt64Ty());
      for (int d = 0; d < inner_; ++d)
        bits = b_.CreateOr(bits, times(stride(operand, d), i64(bytes)));
      Value* low = b_.CreateAnd(bits, i64(bytes * shape_.lanes - 1));
      all = b_.CreateAnd(all, b_.CreateICmpEQ(low, i64(0)));
    }
    return all;
  }

  // Emits `body(index)` for the points first, first + step, ... below `end`, and flushes long sums.
  template <class Body>
  void stride_over(Value* first, Value* end, Value* step, int width, Body&& body) {
    if (!is_long() || shape_.kind == DeviceShape::kPoints) {
      loop(first, end, step, body);
      return;
    }
    Value* block = times(step, i64(kFlushEvery));
    loop(first, end, block, [&](Value* from) {
      Value* to = plus(from, block);
      to = b_.CreateSelect(b_.CreateICmpSLT(to, end), to, end);
      loop(from, to, step, body);
      flush(1, width);
    });
  }

  // All points of `dims`, the last of which is the innermost; in vectors where these fit.
  void walk(const Dims& dims, Value* first, Value* step) {
    const int lanes = shape_.lanes;
    if (lanes == 1) return walk_singly(dims, first, count(dims), step);
    Value* fits = aligned_rows_;
    if (dims.size() > 1) {
      Value* rest = b_.CreateURem(extent(inner_), i64(lanes));
      fits = b_.CreateAnd(fits, b_.CreateICmpEQ(rest, i64(0)));
    }
    branch(
        fits,
        [&] {
          Value* vectors = b_.CreateUDiv(count(dims), i64(lanes));
          set_aligned(true);
          walk_points(dims, first, vectors, step, lanes);
          set_aligned(false);
          // The points of a single row that fill no vector.
          const bool whole = is_fixed(inner_) && spec_.dims[inner_] % lanes == 0;
          if (dims.size() == 1 && !whole)
            walk_singly(dims, plus(times(vectors, i64(lanes)), first), count(dims), step);
        },
        [&] { walk_singly(dims, first, count(dims), step); });
  }
  void walk_singly(const Dims& dims, Value* first, Value* end, Value* step) {
    walk_points(dims, first, end, step, 1);
  }

  void walk_points(const Dims& dims, Value* first, Value* end, Value* step, int width) {
    const bool one_row = dims.size() == 1;
    if (one_row) enter_row();
    stride_over(first, end, step, width, [&](Value* index) {
      if (one_row) return element({times(index, i64(width)), width}, 0);
      enter_point(dims, index, width);
      enter_row();
      element({ivs_[inner_], width}, 0);
      leave_point(dims);
    });
  }

  // ---- how the threads share the work ----
  void single_point() {
    Value* first = b_.CreateAdd(threads_.thread(), threads_.block());
    branch(
        b_.CreateICmpEQ(first, i64(0)),
        [&] {
          const Lanes lanes{i64(0), 1};
          for (size_t s = 0; s < spec_.stages.size(); ++s) {
            enter_stage(s, {&lanes, 1});
            element(lanes, 0);
          }
          tail(lanes, 1);
        },
        [] {});
  }

  void points() {
    Value* first = plus(times(threads_.block(), i64(kBlockThreads)), threads_.thread());
    walk(kept_dims_, first, times(threads_.num_blocks(), i64(kBlockThreads)));
  }

  void enter_kept(Value* index) {
    enter_point(kept_dims_, index, 1);
    if (spec_.uneven >= 0) enter_chunk(ivs_[0]);
  }

  void finish_stage(size_t s, int folded) {
    for (size_t i = 0; i < spec_.stages[s].reduces.size(); ++i) {
      const size_t r = first_reduce(s) + i;
      Value* own = folded_here(r, 1, folded, 0);
      set_combined(r, threads_.combine(reduces()[r].kind, total_dtype(r), own));
    }
  }

  // One warp or one block for each kept value.
  void rows() {
    Value* together = i64(shape_.values_per_block());
    Value* first = plus(times(threads_.block(), together), threads_.value());
    loop(first, count(kept_dims_), times(threads_.num_blocks(), together), [&](Value* index) {
      enter_kept(index);
      for (size_t s = 0; s < spec_.stages.size(); ++s) {
        enter_stage(s);
        walk(folded_dims_, threads_.folder(), i64(shape_.folders));
        finish_stage(s, shape_.lanes);
      }
      Value* is_first = b_.CreateICmpEQ(threads_.folder(), i64(0));
      tail({i64(0), 1, is_first}, shape_.lanes);
      leave_point(kept_dims_);
    });
  }

  // One lane of each warp for each column. All threads must meet at the barriers. So threads beyond
  // the last column repeat its work but store nothing.
  void columns() {
    Value* together = i64(shape_.values_per_block());
    Value* all = count(kept_dims_);
    loop(times(threads_.block(), together), all, times(threads_.num_blocks(), together),
         [&](Value* from) {
           Value* index = plus(from, threads_.value());
           Value* exists = b_.CreateICmpSLT(index, all);
           enter_kept(b_.CreateSelect(exists, index, b_.CreateSub(all, i64(1))));
           const Lanes lanes{ivs_[inner_], 1, exists};
           for (size_t s = 0; s < spec_.stages.size(); ++s) {
             enter_stage(s, {&lanes, 1});
             fold_columns(lanes);
             finish_stage(s, 1);
           }
           Value* is_first = b_.CreateICmpEQ(threads_.folder(), i64(0));
           tail({ivs_[inner_], 1, b_.CreateAnd(exists, is_first)}, 1);
           leave_point(kept_dims_);
         });
  }
  void fold_columns(const Lanes& lanes) {
    stride_over(threads_.folder(), count(folded_dims_), i64(shape_.folders), 1, [&](Value* index) {
      enter_point(folded_dims_, index, 1);
      enter_row();
      element(lanes, 0);
      leave_point(folded_dims_);
    });
  }

  const DeviceShape shape_;
  DeviceThreads threads_;
  Dims kept_dims_, folded_dims_;
  Value* aligned_rows_ = nullptr;
};

}  // namespace

llvm::Function* emit_device_kernel(llvm::Module& module, const KernelSpec& spec, const char* name) {
  const KernelSpec plain = without_streams(spec);
  return DeviceEmitter(module, plain, name).run();
}

}  // namespace msjit::llvm_backend
