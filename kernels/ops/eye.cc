#include <algorithm>

#include "kernels/cpu/fill.h"

namespace msjit {

namespace {

Status infer(InferCtx& ctx) {
  const int64_t rows = ctx.attrs[0].as_int();
  const int64_t columns = ctx.attrs[1].is_none() ? rows : ctx.attrs[1].as_int();
  if (rows < 0 || columns < 0)
    return value_error("[eye] size of a dimension, got {}, expected at least 0",
                       std::min(rows, columns));
  ctx.add_output(ctx.attrs[2].as_dtype(), Shape{rows, columns});
  return {};
}

Status run(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  MSJIT_OK(fill(out, AttrValue(0)));
  const int64_t n = std::min(out.dim(0), out.dim(1));
  dispatch_any_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < n; ++i) out.data_as<T>()[i * (out.dim(1) + 1)] = static_cast<T>(1);
  });
  return {};
}

}  // namespace

MSJIT_OP(eye)
    .doc("Ones on the diagonal, zeros elsewhere.")
    .traits(kComplex | kCreates)
    .signature("n: int, m: int? = None, dtype: dtype = float32")
    .infer(infer)
    .cpu(run)
    .no_grad();

}  // namespace msjit
