#include "kernels/core/checks.h"
#include "kernels/core/words.h"

namespace msjit {

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(Shape to, shape_of(ctx, ctx.attrs[0], "shape"));
  bool fits = to.rank() <= x.shape.rank();
  for (int i = 0; i < to.rank() && fits; ++i) {
    Dim from = x.shape[x.shape.rank() - to.rank() + i];
    fits = to[i] == from || to[i] == 1;
  }
  if (!fits)
    return value_error("[{}] x has a wrong shape, got {}, expected one that {} broadcasts to",
                       ctx.name(), x.shape.str(), to.str());
  ctx.add_output(x.dtype, to);
  return {};
}

Vals run(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  const Shape& from = in[0].shape();
  const Shape to(std::span<const int64_t>(attrs[0].as_list()));
  if (from == to) return {in[0]};
  const int lead = from.rank() - to.rank();
  IntList axes;
  for (int i = 0; i < from.rank(); ++i)
    if (i < lead || (to[i - lead] == 1 && from[i] != 1)) axes.push_back(i);
  return {reshape(axes.empty() ? in[0] : sum(in[0], AttrValue(axes), true), to)};
}

}  // namespace

MSJIT_OP(sum_to)
    .doc("Sums the dimensions that broadcasting `shape` to x's shape would repeat.")
    .traits(kComplex)
    .signature("x: Tensor, shape: int[]")
    .infer(infer)
    .composite(run)
    .sample({.shapes = {{3, 4}}, .attrs = "shape=(1, 4)"})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "shape=(3, 1)"});

}  // namespace msjit
