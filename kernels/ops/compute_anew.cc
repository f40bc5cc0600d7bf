#include "kernels/cpu/itself.h"

namespace msjit {

MSJIT_OP(compute_anew)
    .doc(
        "x itself. In a graph, ops on the result are computed anew: they are not merged with equal "
        "ops on x. A view.")
    .traits(kComplex)
    .signature("x: Tensor")
    .numpy("x")
    .impure()
    .traits(kView)
    .infer(itself_infer)
    .cpu(itself_kernel)
    .vjp([](Vjp& v) { v.set_grad(0, v.grad()); })
    .sample({.shapes = {{2, 3}}});

}  // namespace msjit
