#include "kernels/cpu/rows.h"

namespace msjit::rows {

Status infer_along(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  MSJIT_TRY([[maybe_unused]] int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  ctx.add_output(x.dtype, x.shape);
  return {};
}

}  // namespace msjit::rows
