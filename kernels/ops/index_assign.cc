#include "kernels/cpu/indexing.h"

namespace msjit {

extern const OpDef op_index_update;

namespace {

Status kernel(KernelCtx& ctx) {
  return indexing::put(ctx.op.name, ctx.in[0], ctx.in[1], ctx.in.subspan(2), ctx.attrs[0].as_list(),
                       ctx.attrs[1].as_bool());
}

}  // namespace

MSJIT_OP(index_assign)
    .doc("Writes (or adds) value, broadcast, at advanced indices of x, in place; see index_update.")
    .traits(kComplex)
    .signature("tensors: Tensor[], axes: int[], accumulate: bool = False")
    .impure()
    .traits(kInPlace)
    .infer([](InferCtx& ctx) { return op_index_update.infer(ctx); })
    .cpu(kernel)
    .vjp([](Vjp& v) { op_index_update.vjp(v); });

}  // namespace msjit
