// Shared by ops whose result is their input itself, as a view.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

inline Status itself_infer(InferCtx& ctx) {
  ctx.outputs.push_back(ctx.in(0));
  return {};
}

inline Status itself_kernel(KernelCtx& ctx) {
  ctx.out[0] = Tensor::view(ctx.in[0], ctx.in[0].shape(), ctx.in[0].strides(), 0);
  return {};
}

}  // namespace msjit
