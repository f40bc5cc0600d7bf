#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/int8_loops.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &weight = ctx.in(1);
  MSJIT_OK(require_byte(ctx, x, "x"));
  MSJIT_OK(require_dtype(ctx, weight, DType::kInt8, "weight"));
  MSJIT_OK(require_rank(ctx, weight, 2, "weight"));
  if (x.shape.rank() == 0)
    return value_error("[{}] x must have at least one dimension, got shape ()", ctx.name());
  MSJIT_OK(ctx.require_eq(x.shape[x.shape.rank() - 1], weight.shape[1], "inner dimensions"));
  const char* const names[] = {"", "", "scale", "bias"};
  for (int i = 2; i < 4; ++i) {
    if (!ctx.has(i)) continue;
    MSJIT_OK(require_dtype(ctx, ctx.in(i), DType::kFloat32, names[i]));
    MSJIT_OK(require_shape(ctx, ctx.in(i), {weight.shape[0]}, names[i]));
  }
  Shape shape = x.shape;
  shape[shape.rank() - 1] = weight.shape[0];
  ctx.add_output(DType::kFloat32, shape);
  return {};
}

// Without products there is the bias alone.
void write_bias(const Tensor& bias, const Tensor& out) {
  layout::fill_zero(out);
  if (bias) copy_strided(layout::broadcast(bias, out.shape()), out);
}

Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (out.numel() == 0) return {};
  MSJIT_TRY(const Tensor x, ctx.in[0].to_contiguous());
  MSJIT_TRY(const Tensor weight, ctx.in[1].to_contiguous());
  MSJIT_TRY(const Tensor scale, ctx.in[2].to_contiguous());
  Tensor bias;
  if (ctx.in.size() > 3 && ctx.in[3]) {
    MSJIT_TRY(bias, ctx.in[3].to_contiguous());
  }
  const int64_t inner = weight.dim(1), cols = weight.dim(0);
  const onednn::Int8Product p{out.numel() / cols, inner, cols, x.dtype() == DType::kUInt8};
  const float* const add = bias ? bias.data_as<float>() : nullptr;
  auto* const to = out.data_as<float>();
  if (inner == 0) return write_bias(bias, out), Status{};
  if (!onednn::multiplies_int8())
    return int8_loops::multiply(p, x.data(), weight, scale.data_as<float>(), add, to);
  return onednn::int8_matmul(p, x.data(), weight, scale.data_as<float>(), add, to);
}

// For scale and bias only: integers have no gradient.
void vjp(Vjp& v) {
  using namespace words;
  if (v.needs(2)) {
    const Val ones = full_like(v.in(2), 1.0);
    v.set_grad(2, v.grad() * call(*v.op, {v.in(0), v.in(1), ones}, {}));  // summed to its shape
  }
  if (v.inputs.size() > 3 && v.needs(3)) v.set_grad(3, v.grad());
}

}  // namespace

MSJIT_OP(int8_linear)
    .doc(
        "Fully connected layer of 8-bit integers: x (int8 or uint8) times the transpose of weight "
        "(int8; out, in), summed exactly, times scale (out), plus bias (out); float32.")
    .signature("x: Tensor, weight: Tensor, scale: Tensor, bias: Tensor? = None")
    .numpy(
        "(np.matmul(x.astype(np.int32), weight.T.astype(np.int32)).astype(np.float32) * scale + "
        "(0 if bias is None else bias)).astype(np.float32)")
    .traits(kTotal)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 4}, {5, 4}, {5}, {5}},
             .low_high = {-128, 127},
             .dtypes = {"int8", "int8", "float32", "float32"},
             .check_grad = false})
    .sample({.shapes = {{2, 3, 40}, {33, 40}, {33}},
             .low_high = {0, 127},
             .dtypes = {"uint8", "int8", "float32"},
             .check_grad = false})
    .sample({.shapes = {{0, 4}, {5, 4}, {5}},
             .low_high = {0, 127},
             .dtypes = {"int8", "int8", "float32"},
             .check_grad = false});

}  // namespace msjit
