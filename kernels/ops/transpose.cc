#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  const IntList& perm = ctx.attrs[0].as_list();
  int rank = x.shape.rank();
  if (static_cast<int>(perm.size()) != rank)
    return value_error("[{}] perm has a wrong length, got {}, expected {}", ctx.name(), perm.size(),
                       rank);
  Shape shape;
  uint32_t seen = 0;
  for (int64_t p : perm) {
    MSJIT_TRY(int axis, ctx.axis(p, rank));
    if (seen >> axis & 1)
      return value_error("[{}] perm must name each axis once, got {}", ctx.name(),
                         ctx.attrs[0].str());
    seen |= 1u << axis;
    shape.push_back(x.shape[axis]);
  }
  ctx.add_output(x.dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  int perm[kMaxRank], rank = ctx.in[0].rank();
  for (int i = 0; i < rank; ++i) {
    int64_t p = ctx.attrs[0].as_list()[i];
    perm[i] = static_cast<int>(p < 0 ? p + rank : p);
  }
  ctx.out[0] = layout::permute(ctx.in[0], {perm, static_cast<size_t>(rank)});
  return {};
}

void vjp(Vjp& v) {
  const IntList& perm = v.attrs[0].as_list();
  IntList inverse = perm;
  for (uint32_t i = 0; i < perm.size(); ++i) {
    int64_t p = perm[i] < 0 ? perm[i] + static_cast<int64_t>(perm.size()) : perm[i];
    inverse[p] = i;
  }
  v.set_grad(0, words::transpose(v.grad(), inverse));
}

}  // namespace

MSJIT_OP(transpose)
    .doc("Permutes the axes: axis i of the result is axis perm[i] of x. A view.")
    .traits(kComplex)
    .signature("x: Tensor, perm: int[]")
    .numpy("np.transpose(x, perm)")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3, 4}}, .attrs = "perm=[2, 0, 1]"})
    .sample({.shapes = {{2, 3}}, .attrs = "perm=[-1, 0]"})
    .sample({.shapes = {{}}, .attrs = "perm=[]"});

}  // namespace msjit
