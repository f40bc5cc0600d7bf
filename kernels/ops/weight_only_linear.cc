#include <algorithm>

#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/narrow_weight.h"

namespace msjit {

extern const OpDef op_widen_weight;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  if (x.shape.rank() == 0)
    return value_error("[{}] x must have at least one dimension, got shape ()", ctx.name());
  Shape shape = x.shape;
  MSJIT_OK(narrow::check(ctx, 1, ctx.attrs[0].as_int(), shape[shape.rank() - 1]));
  const Dim rows = ctx.in(1).shape[0];
  if (ctx.has(4)) {
    MSJIT_OK(require_float(ctx, ctx.in(4), "bias"));
    MSJIT_OK(require_shape(ctx, ctx.in(4), {rows}, "bias"));
  }
  shape[shape.rank() - 1] = rows;
  ctx.add_output(x.dtype, shape);
  return {};
}

// Widens some rows of the weight at a time, so that they are in a core's cache for the product.
Status multiply_widened(const narrow::Weight& w, const Tensor& x, const Tensor& bias,
                        const Tensor& out) {
  constexpr int64_t kBytes = 1 << 20;
  const int64_t m = x.dim(0);
  const int64_t step = std::clamp<int64_t>(kBytes / (4 * w.cols) / 16 * 16, 16, w.rows);
  MSJIT_TRY(const Tensor wide, Tensor::empty(DType::kFloat32, {step, w.cols}));
  MSJIT_TRY(const Tensor part, Tensor::empty(DType::kFloat32, {m, step}));
  for (int64_t begin = 0; begin < w.rows; begin += step) {
    const int64_t size = std::min(step, w.rows - begin);
    narrow::widen(w, begin, begin + size, wide.data_as<float>());
    const Tensor weight = layout::slice_axis(wide, 0, 0, size);
    const Tensor target = Tensor::view(part, {m, size}, {size, 1}, 0);
    const Tensor added = bias ? layout::slice_axis(bias, 0, begin, size) : Tensor();
    MSJIT_OK(product::run({x, weight, false, true, bias ? &added : nullptr}, target));
    copy_strided(target, layout::slice_axis(out, 1, begin, size));
  }
  return {};
}

Status kernel(KernelCtx& ctx) {
  if (ctx.out[0].numel() == 0) return {};
  const Tensor zero = ctx.in.size() > 3 ? ctx.in[3] : Tensor();
  MSJIT_TRY(const narrow::Operands operands, narrow::operands_of(ctx.in[1], ctx.in[2], zero));
  MSJIT_TRY(Tensor x, layout::contiguous_as(ctx.in[0], DType::kFloat32));
  MSJIT_TRY(const Tensor out, layout::plain_target(ctx.out[0], DType::kFloat32));
  Tensor bias;
  if (ctx.in.size() > 4 && ctx.in[4]) {
    MSJIT_TRY(bias, layout::contiguous_as(ctx.in[4], DType::kFloat32));
  }
  const int64_t cols = x.dim(x.rank() - 1), m = out.numel() / operands.weight.dim(0);
  const narrow::Weight w = operands.view(static_cast<int>(ctx.attrs[0].as_int()), cols);
  if (m <= narrow::kFewRows || cols == 0) {
    MSJIT_OK(narrow::multiply(w, m, x.data_as<float>(), bias ? bias.data_as<float>() : nullptr,
                              out.data_as<float>()));
  } else {
    const Tensor rows = Tensor::view(x, {m, cols}, {cols, 1}, 0);
    const Tensor target = Tensor::view(out, {m, w.rows}, {w.rows, 1}, 0);
    MSJIT_OK(multiply_widened(w, rows, bias, target));
  }
  return layout::deliver(out, ctx.out[0]);
}

void vjp(Vjp& v) {
  using namespace words;
  const Val &x = v.in(0), &grad = v.grad();
  const bool has_zero = v.inputs.size() > 3 && v.in(3);
  const Dim cols = x.shape()[x.rank() - 1], out = grad.shape()[grad.rank() - 1];
  const Val zero = has_zero ? v.in(3) : Val();
  const Attrs attrs{AttrValue(static_cast<int64_t>(cols)), v.attrs[0]};
  const bool of_parts = v.needs(2) || (has_zero && v.needs(3));
  Val wide;
  if (v.needs(0) || of_parts) wide = call(op_widen_weight, {v.in(1), v.in(2), zero}, attrs);
  if (v.needs(0)) v.set_grad(0, matmul(cast(grad, DType::kFloat32), wide));
  if (v.inputs.size() > 4 && v.needs(4)) v.set_grad(4, grad);
  if (!of_parts) return;
  Dim rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  const auto flat = [&](const Val& t, Dim size) {
    return reshape(cast(t, DType::kFloat32), Shape{rows, size});
  };
  const Val of_weight = matmul(flat(grad, out), flat(x, cols), true);
  const Val inputs[] = {v.in(1), v.in(2), zero};
  const bool wanted[] = {false, v.needs(2), has_zero && v.needs(3)};
  Vjp inner{v.sink, &op_widen_weight, attrs, inputs, {&wide, 1}, {&of_weight, 1}, wanted, {}};
  inner.input_grads.resize(3);
  op_widen_weight.vjp(inner);
  for (int i = 1; i < 3; ++i)
    if (inner.input_grads[i]) v.set_grad(i + 1, inner.input_grads[i]);
}

}  // namespace

MSJIT_OP(weight_only_linear)
    .doc(
        "Fully connected layer whose weight is kept as integers: x times the transpose of "
        "(q - zero) * scale, plus bias (out). The integers are widened as they are read; weight, "
        "scale and zero as for widen_weight.")
    .signature(
        "x: Tensor, weight: Tensor, scale: Tensor, zero: Tensor? = None, bias: Tensor? = None, "
        "bits: int = 8")
    .numpy(
        "np.matmul(x, ((weight.astype(np.float32).reshape(len(weight), scale.size // len(scale), "
        "-1) - (0 if zero is None else zero.reshape(len(weight), -1, 1)))"
        " * scale.reshape(len(weight), -1, 1)).reshape(len(weight), -1).T)"
        " + (0 if bias is None else bias)")
    .traits(kTotal)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{5, 40}, {9, 40}, {9}},
             .low_high = {-2, 2},
             .dtypes = {"float32", "int8", "float32"}})
    .sample({.shapes = {{2, 3, 36}, {5, 36}, {5, 2}, {5, 2}, {5}},
             .low_high = {-2, 2},
             .dtypes = {"float32", "int8", "float32", "float32", "float32"}})
    .sample({.shapes = {{0, 4}, {5, 4}, {5}},
             .low_high = {-2, 2},
             .dtypes = {"float32", "int8", "float32"}});

}  // namespace msjit
