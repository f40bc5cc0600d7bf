#include "kernels/cpu/running_extremum.h"

namespace msjit {

MSJIT_OP(cummin)
    .doc("The least element up to each place along an axis, and its position; the last of equals.")
    .signature("x: Tensor, axis: int")
    .outputs(2)
    .infer(running_extremum_infer)
    .cpu(running_extremum_kernel<false>)
    .vjp(running_extremum_vjp)
    .sample({.shapes = {{3, 5}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 2}}, .attrs = "axis=0"});

}  // namespace msjit
