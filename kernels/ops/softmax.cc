#include "kernels/cpu/rows.h"

namespace msjit {
namespace {

using namespace words;

struct Softmax {
  template <class R>
  static void run(R& r) {
    const auto x = r.in(0);
    const auto top = r.max(x);
    const auto raised = r.map([](auto m, auto x, auto top) { return m.exp(x - top); }, x, top);
    const auto kept = r.sum_kept(raised);  // the sum, the values
    const auto by = r.once([](auto, auto total) { return 1.0 / total; }, kept.first);
    r.out(r.map([](auto, auto e, auto by) { return e * by; }, kept.second, by));
  }
};

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  return rows::composite<Softmax>(in, attrs, {attrs[0].as_int()}, {in[0].dtype()});
}

void vjp(Vjp& v) {
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
    .infer(rows::infer_along)
    .cpu(rows::kernel_along<Softmax>)
    .composite(composite)
    .traits(kRows | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}}})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 5}}, .dtypes = {"float64"}})
    .sample({.shapes = {{2, 0}}});

}  // namespace msjit
