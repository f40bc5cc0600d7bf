#include "kernels/cpu/slicing.h"

namespace msjit {

extern const OpDef op_slice_update;

namespace {

Status kernel(KernelCtx& ctx) {
  return slicing::write(ctx.in[0], ctx.in[1], ctx.attrs[0], ctx.attrs[1], ctx.attrs[2]);
}

}  // namespace

MSJIT_OP(slice_assign)
    .doc("Writes value, broadcast, into a slice of x, in place; see slice.")
    .traits(kComplex)
    .signature("x: Tensor, value: Tensor, begin: int[], end: int[], step: int[]")
    .impure()
    .traits(kInPlace)
    .infer([](InferCtx& ctx) { return op_slice_update.infer(ctx); })
    .cpu(kernel)
    .vjp([](Vjp& v) { op_slice_update.vjp(v); });

}  // namespace msjit
