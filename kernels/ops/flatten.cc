#include <algorithm>

#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Shape flat_shape(const Shape& x, int start, int end) {
  Shape shape;
  Dim merged = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < start || i > end) {
      shape.push_back(x[i]);
    } else {
      merged *= x[i];
      if (i == end) shape.push_back(merged);
    }
  }
  return x.rank() ? shape : Shape{1};
}

Status infer(InferCtx& ctx) {
  const Shape& x = ctx.in(0).shape;
  int rank = std::max(x.rank(), 1);
  MSJIT_TRY(int start, ctx.axis(ctx.attrs[0].as_int(), rank));
  MSJIT_TRY(int end, ctx.axis(ctx.attrs[1].as_int(), rank));
  if (start > end)
    return value_error("[{}] start_dim must not come after end_dim, got {} and {}", ctx.name(),
                       start, end);
  ctx.add_output(ctx.in(0).dtype, flat_shape(x, start, end));
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Shape& x = ctx.in[0].shape();
  int64_t start = ctx.attrs[0].as_int(), end = ctx.attrs[1].as_int(), rank = x.rank();
  Shape shape = flat_shape(x, static_cast<int>(start < 0 ? start + rank : start),
                           static_cast<int>(end < 0 ? end + rank : end));
  MSJIT_TRY(ctx.out[0], layout::reshape(ctx.in[0], shape));
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, words::reshape(v.grad(), v.in(0).shape())); }

}  // namespace

MSJIT_OP(flatten)
    .doc("Merges the axes start_dim to end_dim into one. A view where the layout allows it.")
    .traits(kComplex)
    .signature("x: Tensor, start_dim: int = 0, end_dim: int = -1")
    .numpy(
        "np.reshape(x, x.shape[:start_dim] + (int(np.prod(x.shape[start_dim:(end_dim % x.ndim) "
        "+ 1])),) + x.shape[(end_dim % x.ndim) + 1:])")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3, 4}}, .attrs = "start_dim=1"})
    .sample({.shapes = {{2, 3, 4, 2}}, .attrs = "start_dim=1, end_dim=2"})
    .sample({.shapes = {{2, 0, 4}}});

}  // namespace msjit
