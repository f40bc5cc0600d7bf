#include "kernels/cpu/softmax.h"

#include "kernels/core/words.h"

namespace msjit {
namespace {

Status kernel(KernelCtx& ctx) { return softmax::run(ctx, false); }

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const IntList axis{attrs[0].as_int()};
  const Val x = wide(in[0]);
  const Val e = exp(x - max(x, axis, true));
  return {cast(e * (1.0 / sum(e, axis, true)), in[0].dtype())};
}

void vjp(Vjp& v) {
  using namespace words;
  Val y = v.out(), weighted = v.grad() * y;
  IntList axis{v.attrs[0].as_int()};
  v.set_grad(0, weighted - y * sum(weighted, axis, true));
}

}  // namespace

MSJIT_OP(softmax)
    .doc("exp(x) along `axis`, scaled to sum to one.")
    .signature("x: Tensor, axis: int = -1")
    .numpy(
        "np.exp(x - x.max(axis, keepdims=True)) / "
        "np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True)")
    .infer(softmax::infer)
    .cpu(kernel)
    .composite(composite)
    .traits(kRows)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}}})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 5}}, .dtypes = {"float64"}})
    .sample({.shapes = {{2, 0}}});

}  // namespace msjit
