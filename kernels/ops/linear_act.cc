#include "kernels/core/words.h"
#include "kernels/cpu/matmul.h"

namespace msjit {

extern const OpDef op_linear;

namespace {

Status infer(InferCtx& ctx) {
  if (ctx.attrs[0].as_string() != "relu")
    return value_error("[{}] unknown activation, got '{}', expected 'relu'", ctx.name(),
                       ctx.attrs[0].as_string());
  if (ctx.in(0).dtype != DType::kFloat32 && ctx.in(0).dtype != DType::kBFloat16)
    return type_error("[{}] unsupported dtype, got {}, expected float32 or bfloat16", ctx.name(),
                      dtype_name(ctx.in(0).dtype));
  return op_linear.infer(ctx);
}

Status kernel(KernelCtx& ctx) {
  const Tensor* bias = ctx.in.size() > 2 && ctx.in[2] ? &ctx.in[2] : nullptr;
  return product::run({ctx.in[0], ctx.in[1], false, true, bias, true, true}, ctx.out[0]);
}

// The gradient of the activation, then that of linear.
void vjp(Vjp& v) {
  Val grad = words::where(words::greater(v.out(), 0.0), v.grad(), 0.0);
  const Attrs no_attrs{};
  Vjp inner{v.sink, &op_linear, no_attrs, v.inputs, v.outputs, {&grad, 1}, v.wanted, {}};
  inner.input_grads.resize(v.inputs.size());
  op_linear.vjp(inner);
  for (size_t i = 0; i < v.inputs.size(); ++i)
    if (inner.input_grads[i]) v.set_grad(static_cast<int>(i), inner.input_grads[i]);
}

}  // namespace

MSJIT_OP(linear_act)
    .doc("linear followed by an activation in one pass over the output; made by the graph passes.")
    .signature("x: Tensor, weight: Tensor, bias: Tensor? = None, activation: str = \"relu\"")
    .numpy("np.maximum(np.matmul(x, weight.T) + (0 if bias is None else bias), 0)")
    .infer(infer)
    .traits(kTotal)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 4}, {5, 4}, {5}}})
    .sample({.shapes = {{3, 4}, {5, 4}}});

}  // namespace msjit
