// The kernel shared by softmax and log_softmax.
#pragma once

#include "kernels/core/op.h"

namespace msjit::softmax {

Status infer(InferCtx& ctx);  // attrs[0] is the axis
Status run(KernelCtx& ctx, bool logarithm);

}  // namespace msjit::softmax
