#include "kernels/cpu/itself.h"

namespace msjit {

MSJIT_OP(stop_gradient)
    .doc("x itself, through which no gradient flows. A view.")
    .traits(kComplex)
    .signature("x: Tensor")
    .numpy("x")
    .traits(kView)
    .no_grad()
    .infer(itself_infer)
    .cpu(itself_kernel)
    .sample({.shapes = {{2, 3}}, .check_grad = false});

}  // namespace msjit
