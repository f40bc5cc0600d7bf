#include "kernels/cpu/itself.h"

namespace msjit {

MSJIT_OP(identity)
    .doc("x itself, as a value of its own. A view.")
    .traits(kComplex)
    .signature("x: Tensor")
    .numpy("x")
    .traits(kView)
    .infer(itself_infer)
    .cpu(itself_kernel)
    .vjp([](Vjp& v) { v.set_grad(0, v.grad()); })
    .sample({.shapes = {{2, 3}}});

}  // namespace msjit
