#include "kernels/cpu/extremum.h"

namespace msjit {

MSJIT_OP(argmin)
    .doc(
        "Index of the first smallest element along an axis, or of the flattened tensor; the first "
        "NaN where there is one.")
    .signature("x: Tensor, axis: int? = None, keepdims: bool = False")
    .numpy("np.argmin(x, axis=axis)")
    .infer(arg_extremum_infer)
    .cpu(arg_extremum_kernel<false>)
    .cuda([](KernelCtx& ctx) { return arg_extremum_on_device(ctx, false); })
    .no_grad()
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"});

}  // namespace msjit
