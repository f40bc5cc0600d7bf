#include "kernels/core/words.h"
#include "kernels/cpu/in_place.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  if (x.numel() == 0) return {};
  MSJIT_TRY(Tensor value, layout::cast_to(ctx.in[1], x.dtype()));
  MSJIT_TRY(Tensor source, layout::detached_from(value, x));
  copy_strided(layout::broadcast(source, x.shape()), x);
  return {};
}

Vals update(OpSink*, std::span<const Val> in, const Attrs&) { return {in[1]}; }

void vjp(Vjp& v) {
  if (v.needs(0)) v.set_grad(0, words::zeros_like(v.grad()));
  if (v.needs(1)) v.set_grad(1, v.grad());
}

}  // namespace

MSJIT_OP(assign)
    .doc("Overwrites x with value, broadcast and converted, in place.")
    .traits(kComplex)
    .signature("x: Tensor, value: Tensor")
    .impure()
    .traits(kInPlace)
    .infer(in_place::infer_update)
    .cpu(kernel)
    .update(update)
    .vjp(vjp);

}  // namespace msjit
