#include "kernels/cpu/extremum.h"

namespace msjit {

MSJIT_OP(argmax)
    .doc(
        "Index of the first largest element along an axis, or of the flattened tensor; the first "
        "NaN where there is one.")
    .signature("x: Tensor, axis: int? = None, keepdims: bool = False")
    .numpy("np.argmax(x, axis=axis)")
    .infer(arg_extremum_infer)
    .cpu(arg_extremum_kernel<true>)
    .cuda([](KernelCtx& ctx) { return arg_extremum_on_device(ctx, true); })
    .no_grad()
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"});

}  // namespace msjit
