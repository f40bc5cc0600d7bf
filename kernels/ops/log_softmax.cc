#include "kernels/core/words.h"
#include "kernels/cpu/softmax.h"

namespace msjit {
namespace {

Status kernel(KernelCtx& ctx) { return softmax::run(ctx, true); }

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  using namespace words;
  const IntList axis{attrs[0].as_int()};
  const Val x = wide(in[0]), shifted = x - max(x, axis, true);
  return {cast(shifted - log(sum(exp(shifted), axis, true)), in[0].dtype())};
}

void vjp(Vjp& v) {
  using namespace words;
  Val grad = v.grad();
  IntList axis{v.attrs[0].as_int()};
  v.set_grad(0, grad - exp(v.out()) * sum(grad, axis, true));
}

}  // namespace

MSJIT_OP(log_softmax)
    .doc("The logarithm of softmax along `axis`, computed without overflow.")
    .signature("x: Tensor, axis: int = -1")
    .numpy(
        "x - x.max(axis, keepdims=True) - "
        "np.log(np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True))")
    .infer(softmax::infer)
    .cpu(kernel)
    .composite(composite)
    .traits(kRows)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}}})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 5}}, .dtypes = {"float64"}});

}  // namespace msjit
