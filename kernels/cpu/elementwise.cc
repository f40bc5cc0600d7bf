#include "kernels/cpu/elementwise.h"

#include <algorithm>

#include "kernels/core/numbers.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/strided.h"

namespace msjit {
namespace {

constexpr int kMaxIn = 3;
constexpr int64_t kBlock =
    512;  // elements gathered at a time, of 8 bytes: four operands fill half of L1

struct Operand {
  const void* data;
  DType stored;         // dtype of the tensor
  DType wanted;         // dtype the loop reads
  bool scalar = false;  // one element, already as `wanted`
  bool flat = false;    // laid out as the output
  alignas(16) char slot[16];
};

struct Plan {
  LoopEntry entry;
  int num_in;
  Operand operands[kMaxIn];
  const Attrs* attrs;
  char* out;
  DType out_dtype;
};

DType loop_dtype(DType compute) {
  return compute == DType::kFloat16 || compute == DType::kBFloat16 ? DType::kFloat32 : compute;
}

// compute_dtype(), with a shortcut for the usual case of equal strong dtypes.
DType compute_of(KernelCtx& ctx) {
  const Meta& first = ctx.in[ctx.in.size() - 1].meta();
  bool same = !first.weak && ctx.op.dtype_rule == DTypeRule::kPromote;
  for (size_t i = 0; same && i + 1 < ctx.in.size(); ++i) {
    same = ctx.in[i].dtype() == first.dtype && !ctx.in[i].meta().weak;
  }
  if (same) return first.dtype;
  const Meta* metas[kMaxIn];
  for (size_t i = 0; i < ctx.in.size(); ++i) metas[i] = &ctx.in[i].meta();
  return compute_dtype(ctx.op, {metas, ctx.in.size()});
}

// `rounded`: a number takes this dtype first.
void prepare_operand(const Tensor& t, DType wanted, const DType* rounded, const Shape& out_shape,
                     Operand* operand) {
  operand->data = t.data();
  operand->stored = t.dtype();
  operand->wanted = wanted;
  operand->flat = t.contiguous() && t.shape() == out_shape;
  if (t.numel() != 1) return;
  operand->scalar = true;
  if (t.dtype() == wanted) return;
  if (rounded && t.meta().weak) {
    alignas(16) char narrow[16];
    convert_fn(t.dtype(), *rounded)(t.data(), 1, narrow, 1, 1);
    convert_fn(*rounded, wanted)(narrow, 1, operand->slot, 1, 1);
  } else {
    convert_fn(t.dtype(), wanted)(t.data(), 1, operand->slot, 1, 1);
  }
  operand->data = operand->slot;
  operand->stored = wanted;
}

// Whether every operand is a scalar or laid out as the output, and nothing needs conversion.
bool is_direct(const Plan& plan, int64_t n) {
  if (plan.entry.result != plan.out_dtype) return false;
  for (int i = 0; i < plan.num_in; ++i) {
    const Operand& op = plan.operands[i];
    if (op.scalar && (n == 1 || plan.num_in < 3)) continue;
    if (!op.flat || op.stored != op.wanted) return false;
  }
  return true;
}

void run_direct(const Plan& plan, int64_t n) {
  parallel_for(
      n, kElementGrain,
      [&](int64_t begin, int64_t end) {
        LoopArgs args;
        args.n = end - begin;
        args.attrs = plan.attrs;
        args.out = plan.out + begin * item_size(plan.out_dtype);
        for (int i = 0; i < plan.num_in; ++i) {
          const Operand& op = plan.operands[i];
          bool spread = op.scalar && n != 1;
          args.stride[i] = spread ? 0 : 1;
          args.in[i] =
              static_cast<const char*>(op.data) + (spread ? 0 : begin * item_size(op.wanted));
        }
        plan.entry.run(args);
      },
      64);
}

// Whether runs of the innermost dimension are long and every operand steps by 0 or 1 in them.
bool rows_usable(const Plan& plan, const StridedLoop& loop) {
  if (plan.entry.result != plan.out_dtype || plan.num_in > 2) return false;
  if (loop.inner_size() < 32) return false;
  for (int i = 0; i < plan.num_in; ++i) {
    const Operand& op = plan.operands[i];
    int64_t stride = loop.inner_stride(i);
    if (op.stored != op.wanted || (stride != 0 && stride != item_size(op.wanted))) return false;
  }
  return true;
}

void run_rows(const Plan& plan, const StridedLoop& loop, int64_t begin, int64_t end) {
  StridedLoop::Cursor cursor(loop, begin);
  LoopArgs args;
  args.attrs = plan.attrs;
  for (int i = 0; i < plan.num_in; ++i) args.stride[i] = loop.inner_stride(i) == 0 ? 0 : 1;
  while (begin < end) {
    args.n = std::min(cursor.run(), end - begin);
    args.out = plan.out + begin * item_size(plan.out_dtype);
    for (int i = 0; i < plan.num_in; ++i) args.in[i] = cursor.pointer(i);
    plan.entry.run(args);
    cursor.advance(args.n);
    begin += args.n;
  }
}

// Gathers a block of every operand into contiguous buffers of the compute type.
class BlockRunner {
 public:
  BlockRunner(const Plan& plan, const StridedLoop& loop) : plan_(plan), loop_(loop) {
    args_.attrs = plan.attrs;
    if (item_size(plan.entry.result) > 8 || item_size(plan.operands[plan.num_in - 1].wanted) > 8)
      block_ = kBlock / 2;
    for (int i = 0; i < plan.num_in; ++i) prepare(i);
    if (plan.entry.result != plan.out_dtype) store_ = convert_fn(plan.entry.result, plan.out_dtype);
  }
  void run(int64_t begin, int64_t end) {
    StridedLoop::Cursor cursor(loop_, begin);
    while (begin < end) {
      int64_t n = std::min(block_, end - begin);
      gather(&cursor, n);
      char* out = plan_.out + begin * item_size(plan_.out_dtype);
      args_.n = n;
      args_.out = store_ ? buffer_[kMaxIn] : out;
      plan_.entry.run(args_);
      if (store_) store_(buffer_[kMaxIn], 1, out, 1, n);
      begin += n;
    }
  }

 private:
  void prepare(int i) {
    const Operand& op = plan_.operands[i];
    fixed_[i] = op.scalar;
    load_[i] = convert_fn(op.stored, op.wanted);
    stride_[i] = loop_.inner_stride(i) / item_size(op.stored);
    args_.stride[i] = op.scalar && plan_.num_in < 3 ? 0 : 1;
    args_.in[i] = args_.stride[i] == 0 ? op.data : buffer_[i];
    if (op.scalar) load_[i](op.data, 0, buffer_[i], 1, block_);
  }
  void gather(StridedLoop::Cursor* cursor, int64_t n) {
    for (int64_t at = 0; at < n;) {
      int64_t run = std::min(cursor->run(), n - at);
      for (int i = 0; i < plan_.num_in; ++i) {
        if (fixed_[i]) continue;
        char* to = buffer_[i] + at * item_size(plan_.operands[i].wanted);
        load_[i](cursor->pointer(i), stride_[i], to, 1, run);
      }
      cursor->advance(run);
      at += run;
    }
  }

  const Plan& plan_;
  const StridedLoop& loop_;
  LoopArgs args_;
  bool fixed_[kMaxIn];
  ConvertFn load_[kMaxIn];
  int64_t stride_[kMaxIn];
  ConvertFn store_ = nullptr;
  int64_t block_ = kBlock;
  alignas(64) char buffer_[kMaxIn + 1][kBlock * 8];
};

void run_strided(KernelCtx& ctx, const Plan& plan, int64_t n) {
  StridedLoop loop(ctx.out[0].shape());
  for (int i = 0; i < plan.num_in; ++i) {
    const Operand& op = plan.operands[i];
    if (op.scalar) {
      loop.add_operand(op.data, Shape(), Shape(), item_size(op.wanted));
    } else {
      loop.add_operand(ctx.in[i]);
    }
  }
  loop.coalesce();
  bool rows = rows_usable(plan, loop);
  parallel_for(
      n, kElementGrain,
      [&](int64_t begin, int64_t end) {
        if (rows) return run_rows(plan, loop, begin, end);
        BlockRunner(plan, loop).run(begin, end);
      },
      64);
}

}  // namespace

Status run_elementwise(KernelCtx& ctx, const LoopTable& table) {
  DType compute = compute_of(ctx);
  Plan plan;
  const LoopTable* loops = is_complex(compute) ? ctx.op.complex_loops : &table;
  if (loops) plan.entry = loops->by_dtype[static_cast<int>(loop_dtype(compute))];
  if (!plan.entry.run) {
    return type_error("[{}] dtype is not supported, got {}", ctx.op.name, dtype_name(compute));
  }
  if (plan.entry.wide && has_wide_vectors()) plan.entry.run = plan.entry.wide;
  const Tensor& out = ctx.out[0];
  int64_t n = out.numel();
  if (n == 0) return {};
  plan.num_in = static_cast<int>(ctx.in.size());
  plan.attrs = &ctx.attrs;
  plan.out = out.data_as<char>();
  plan.out_dtype = out.dtype();
  for (int i = 0; i < plan.num_in; ++i) {
    const DType dtype = operand_dtype(ctx.op, compute, i);
    prepare_operand(ctx.in[i], loop_dtype(dtype), rounds_numbers(ctx.op) ? &dtype : nullptr,
                    out.shape(), &plan.operands[i]);
  }
  if (is_direct(plan, n)) {
    run_direct(plan, n);
  } else {
    run_strided(ctx, plan, n);
  }
  return {};
}

}  // namespace msjit
