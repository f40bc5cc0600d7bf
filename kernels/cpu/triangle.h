// The kernel shared by tril and triu: copies a triangle of each matrix and zeroes the rest.
#pragma once

#include "kernels/core/op.h"

namespace msjit::triangle {

Status infer(InferCtx& ctx);
Status keep(KernelCtx& ctx, bool lower);

}  // namespace msjit::triangle
