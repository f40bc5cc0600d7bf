#include "kernels/cpu/fill.h"
#include "kernels/device/moves.h"

namespace msjit {

MSJIT_OP(zeros)
    .doc("A tensor of zeros.")
    .traits(kComplex | kTotal | kCreates)
    .signature("shape: int[], dtype: dtype = float32")
    .infer(filled_infer)
    .cpu([](KernelCtx& ctx) { return fill(ctx.out[0], AttrValue(0)); })
    .cuda([](KernelCtx& ctx) { return devices::fill(ctx.out[0], AttrValue(0)); })
    .no_grad();

}  // namespace msjit
