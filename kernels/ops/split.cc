#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[1].as_int(), x.shape.rank()));
  Dim total = 0;
  for (int64_t size : ctx.attrs[0].as_list()) {
    if (size < 0 || size > x.shape[axis])
      return value_error("[{}] section out of range, got {}, expected 0 to {}", ctx.name(), size,
                         x.shape[axis]);
    total += size;
    Shape shape = x.shape;
    shape[axis] = size;
    ctx.add_output(x.dtype, shape);
  }
  if (total != x.shape[axis])
    return value_error("[{}] sections must add up to the size of axis {}, got {}, expected {}",
                       ctx.name(), axis, total, x.shape[axis]);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  int axis = normal_axis(ctx.attrs[1].as_int(), x.rank());
  int64_t begin = 0;
  for (size_t i = 0; i < ctx.out.size(); ++i) {
    int64_t size = ctx.attrs[0].as_list()[i];
    ctx.out[i] = layout::slice_axis(x, axis, x.numel() ? begin : 0, size);
    begin += size;
  }
  return {};
}

void vjp(Vjp& v) {
  Vals parts;
  for (size_t i = 0; i < v.outputs.size(); ++i) parts.push_back(v.grad(static_cast<int>(i)));
  v.set_grad(0, words::concat(v.sink, parts, v.attrs[1].as_int()));
}

}  // namespace

MSJIT_OP(split)
    .doc("Cuts x along `axis` into pieces of the given sizes. Views.")
    .traits(kComplex)
    .signature("x: Tensor, sections: int[], axis: int = 0")
    .numpy("np.split(x, np.cumsum(sections)[:-1], axis)")
    .traits(kView)
    .outputs(0)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{5, 2}}, .attrs = "sections=[2, 3]"})
    .sample({.shapes = {{2, 6}}, .attrs = "sections=[1, 0, 5], axis=-1"});

}  // namespace msjit
