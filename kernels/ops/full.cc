#include "kernels/cpu/fill.h"
#include "kernels/device/moves.h"

namespace msjit {

MSJIT_OP(full)
    .doc("A tensor of one value; without a dtype that of the value: bool, int64 or float32.")
    .traits(kComplex | kTotal | kCreates)
    .signature("shape: int[], value: number, dtype: dtype? = None")
    .infer(full_infer)
    .cpu([](KernelCtx& ctx) { return fill(ctx.out[0], ctx.attrs[1]); })
    .cuda([](KernelCtx& ctx) { return devices::fill(ctx.out[0], ctx.attrs[1]); })
    .no_grad();

}  // namespace msjit
