#include "kernels/core/words.h"
#include "kernels/cpu/narrow_weight.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const int64_t size = ctx.attrs[0].as_int();
  if (size < 0) return value_error("[{}] size must not be negative, got {}", ctx.name(), size);
  MSJIT_OK(narrow::check(ctx, 0, ctx.attrs[1].as_int(), size));
  ctx.add_output(DType::kFloat32, {ctx.in(0).shape[0], size});
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  const Tensor zero = ctx.in.size() > 2 ? ctx.in[2] : Tensor();
  MSJIT_TRY(const narrow::Operands operands, narrow::operands_of(ctx.in[0], ctx.in[1], zero));
  const auto bits = static_cast<int>(ctx.attrs[1].as_int());
  if (out.numel() > 0)
    narrow::widen(operands.view(bits, out.dim(1)), 0, out.dim(0), out.data_as<float>());
  return {};
}

// (q - zero) * scale; the integers q have no gradient.
void vjp(Vjp& v) {
  using namespace words;
  const Val& scale = v.in(1);
  const bool has_zero = v.inputs.size() > 2 && v.in(2);
  const Dim rows = scale.shape()[0], groups = scale.rank() == 2 ? scale.shape()[1] : 1;
  const auto over_groups = [&](const Val& x) {
    const Val parts = reshape(x, Shape{rows, groups, v.out().shape()[1] / groups});
    return reshape(sum(parts, IntList{2}), scale.shape());
  };
  if (v.needs(1)) {
    const Val ones = full_like(scale, 1.0);
    const Val plain = call(*v.op, {v.in(0), ones, has_zero ? v.in(2) : Val()}, v.attrs);
    v.set_grad(1, over_groups(v.grad() * plain));
  }
  if (has_zero && v.needs(2)) v.set_grad(2, -(over_groups(v.grad()) * scale));
}

}  // namespace

MSJIT_OP(widen_weight)
    .doc(
        "A weight kept as integers as float32 (out, size): (q - zero) * scale, with a scale (out) "
        "or (out, groups of neighbours). 8 bits: int8 (out, size). 4 bits: uint8 (out, size / 2 "
        "rounded up), two signed numbers a byte, the lower half first.")
    .signature("weight: Tensor, scale: Tensor, zero: Tensor? = None, size: int = 0, bits: int = 8")
    .numpy(
        "((weight.astype(np.float32).reshape(len(weight), scale.size // len(scale), -1)"
        " - (0 if zero is None else zero.reshape(len(weight), -1, 1)))"
        " * scale.reshape(len(weight), -1, 1)).reshape(len(weight), size)")
    .traits(kTotal)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 40}, {3}},
             .low_high = {-100, 100},
             .attrs = "size=40",
             .dtypes = {"int8", "float32"},
             .check_grad = false})
    .sample({.shapes = {{3, 40}, {3, 2}, {3, 2}},
             .low_high = {-100, 100},
             .attrs = "size=40",
             .dtypes = {"int8", "float32", "float32"},
             .check_grad = false});

}  // namespace msjit
