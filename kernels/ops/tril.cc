#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/triangle.h"

namespace msjit {

extern const OpDef op_tril;

namespace {

Status kernel(KernelCtx& ctx) { return triangle::keep(ctx, true); }
void vjp(Vjp& v) { v.set_grad(0, call(op_tril, {v.grad()}, v.attrs)); }

}  // namespace

MSJIT_OP(tril)
    .doc("The lower triangle of the last two axes, zeros above the given diagonal.")
    .traits(kComplex | kTotal)
    .signature("x: Tensor, diagonal: int = 0")
    .numpy("np.tril(x, diagonal)")
    .infer(triangle::infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{2, 4, 3}}, .attrs = "diagonal=-1"});

}  // namespace msjit
