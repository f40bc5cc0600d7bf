#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

// The size that -1 stands for, given the product of the other sizes.
Result<Dim> fill_in(InferCtx& ctx, int64_t count, int64_t known) {
  if (known <= 0 || count % known != 0)  // negative: an overflow
    return value_error("[{}] cannot infer the size for -1, got {} elements and shape {}",
                       ctx.name(), count, ctx.attrs[0].str());
  return count / known;
}

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  const IntList& sizes = ctx.attrs[0].as_list();
  if (sizes.size() > kMaxRank)
    return value_error("[{}] too many dimensions, got {}, expected at most {}", ctx.name(),
                       sizes.size(), kMaxRank);
  Shape shape, known;
  int open = -1;
  for (int64_t size : sizes) {
    if (size < -1 || (size == -1 && open >= 0))
      return value_error("[{}] invalid shape, got {}, expected sizes >= 0 and at most one -1",
                         ctx.name(), ctx.attrs[0].str());
    if (size == -1) open = shape.rank();
    if (size != -1) known.push_back(size);
    shape.push_back(size);
  }
  int64_t count = x.shape.numel(), product = checked_numel(known);
  if (open >= 0) {
    MSJIT_TRY(shape[open], fill_in(ctx, count, product));
  } else if (product != count) {
    return value_error("[{}] element counts must match, got {} for shape {} and {} for shape {}",
                       ctx.name(), count, x.shape.str(), product, shape.str());
  }
  ctx.add_output(x.dtype, shape);
  ctx.outputs[0].weak = x.weak;
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  Shape shape;
  int open = -1;
  for (int64_t size : ctx.attrs[0].as_list()) {
    if (size == -1) open = shape.rank();
    shape.push_back(size == -1 ? 1 : size);
  }
  if (open >= 0) shape[open] = x.numel() / shape.numel();
  MSJIT_TRY(ctx.out[0], layout::reshape(x, shape));
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, words::reshape(v.grad(), v.in(0).shape())); }

}  // namespace

MSJIT_OP(reshape)
    .doc(
        "The same elements in another shape; one size may be -1 and is then inferred. A view where "
        "the layout allows it.")
    .traits(kComplex)
    .signature("x: Tensor, shape: int[]")
    .numpy("np.reshape(x, shape)")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 6}}, .attrs = "shape=[3, 4]"})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "shape=[4, -1]"})
    .sample({.shapes = {{0, 3}}, .attrs = "shape=[3, 0, 2]"})
    .sample({.shapes = {{1}}, .attrs = "shape=[]"});

}  // namespace msjit
