#include "kernels/core/words.h"

namespace msjit {

using namespace words;

namespace {

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
    .signature("x: Tensor, shape: int[]")
    .composite(run)
    .sample({.shapes = {{3, 4}}, .attrs = "shape=(1, 4)"})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "shape=(3, 1)"});

}  // namespace msjit
