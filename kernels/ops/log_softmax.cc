#include "kernels/cpu/rows.h"

namespace msjit {
namespace {

using namespace words;

struct LogSoftmax {
  template <class R>
  static void run(R& r) {
    const auto x = r.in(0);
    const auto top = r.max(x);
    const auto total =
        r.sum(r.map([](auto m, auto x, auto top) { return m.exp(x - top); }, x, top));
    const auto log_total = r.once([](auto m, auto total) { return m.log(total); }, total);
    r.out(r.map([](auto, auto x, auto top, auto log_total) { return (x - top) - log_total; }, x,
                top, log_total));
  }
};

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  return rows::composite<LogSoftmax>(in, attrs, {attrs[0].as_int()}, {in[0].dtype()});
}

void vjp(Vjp& v) {
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
    .infer(rows::infer_along)
    .cpu(rows::kernel_along<LogSoftmax>)
    .composite(composite)
    .traits(kRows | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}}})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 5}}, .dtypes = {"float64"}});

}  // namespace msjit
