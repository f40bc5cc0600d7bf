#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  Shape shape = ctx.in(0).shape;
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[1].as_int(), shape.rank()));
  int64_t n = ctx.attrs[0].as_int();
  if (n < 0) return value_error("[{}] repeats must not be negative, got {}", ctx.name(), n);
  if (__builtin_mul_overflow(shape[axis], n, &shape[axis]) || checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got {} repeats of shape {}", ctx.name(), n,
                        ctx.in(0).shape.str());
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (out.numel() == 0) return {};
  MSJIT_TRY(Tensor x, ctx.in[0].to_contiguous());
  auto split = layout::split_at(x.shape(), normal_axis(ctx.attrs[1].as_int(), x.rank()));
  Shape grid{split.outer * split.length, ctx.attrs[0].as_int(), split.inner};
  copy_strided(Tensor::view(x, grid, {split.inner, 0, 1}, 0),
               Tensor::view(out, grid, contiguous_strides(grid), 0));
  return {};
}

void vjp(Vjp& v) {
  const Shape& x = v.in(0).shape();
  auto split = layout::split_at(x, normal_axis(v.attrs[1].as_int(), x.rank()));
  Shape grid{split.outer * split.length, v.attrs[0].as_int(), split.inner};
  v.set_grad(0, words::reshape(words::sum(words::reshape(v.grad(), grid), IntList{1}), x));
}

}  // namespace

MSJIT_OP(repeat_interleave)
    .doc("Repeats each element `repeats` times along `axis`.")
    .traits(kComplex)
    .signature("x: Tensor, repeats: int, axis: int = 0")
    .numpy("np.repeat(x, repeats, axis)")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}, .attrs = "repeats=2"})
    .sample({.shapes = {{2, 3}}, .attrs = "repeats=3, axis=-1"});

}  // namespace msjit
