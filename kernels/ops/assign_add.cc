#include "kernels/core/words.h"
#include "kernels/cpu/in_place.h"

namespace msjit {

extern const OpDef op_add;

namespace {

Status kernel(KernelCtx& ctx) { return in_place::combine(ctx, op_add); }

Vals update(OpSink*, std::span<const Val> in, const Attrs&) {
  return {words::add(in[0], words::cast(in[1], in[0].dtype()))};
}

void vjp(Vjp& v) {
  if (v.needs(0)) v.set_grad(0, v.grad());
  if (v.needs(1)) v.set_grad(1, v.grad());
}

}  // namespace

MSJIT_OP(assign_add)
    .doc("Adds value, broadcast and converted, to x in place.")
    .traits(kComplex)
    .signature("x: Tensor, value: Tensor")
    .impure()
    .traits(kInPlace)
    .infer(in_place::infer_update)
    .cpu(kernel)
    .update(update)
    .vjp(vjp);

}  // namespace msjit
