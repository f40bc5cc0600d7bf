#include "kernels/core/checks.h"
#include "kernels/core/norm_words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/rows.h"

namespace msjit {

extern const OpDef op_layer_norm_grad;

namespace {

using namespace words;

DType stat_dtype(DType x) { return x == DType::kFloat64 ? x : DType::kFloat32; }

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  int64_t axes = ctx.attrs[0].as_int();
  int rank = x.shape.rank();
  MSJIT_OK(require_float(ctx, x, "x"));
  if (axes < 1 || axes > rank)
    return value_error("[{}] num_axes out of range, got {}, expected 1 to {}", ctx.name(), axes,
                       rank);
  Shape stats = x.shape, params;
  for (int i = rank - static_cast<int>(axes); i < rank; ++i) {
    stats[i] = 1;
    params.push_back(x.shape[i]);
  }
  for (int i = 1; i < 3; ++i) {
    if (!ctx.has(i)) continue;
    MSJIT_OK(require_float(ctx, ctx.in(i), i == 1 ? "weight" : "bias"));
    MSJIT_OK(require_shape(ctx, ctx.in(i), params, i == 1 ? "weight" : "bias"));
  }
  if (stats.numel() > 0 && x.shape.numel() == 0)
    return value_error("[{}] no values to take statistics of, got shape {}", ctx.name(),
                       x.shape.str());
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(stat_dtype(x.dtype), stats);
  ctx.add_output(stat_dtype(x.dtype), stats);
  return {};
}

// A parameter in the compute dtype; ones or zeros when it is absent.
Result<Tensor> parameter(std::span<const Tensor> in, size_t i, DType dtype, int64_t width) {
  if (i < in.size() && in[i]) return layout::contiguous_as(in[i], dtype);
  Tensor value = Tensor::scalar_of(dtype, i == 1 ? 1 : 0);
  return layout::broadcast(value, {width}).to_contiguous();
}

struct LayerNorm {
  template <class R>
  static void run(R& r) {
    const double epsilon = r.number(1);
    const auto x = r.in(0);
    const auto average = r.mean(x);
    const auto centred = r.map([](auto, auto x, auto average) { return x - average; }, x, average);
    const auto variance = r.mean(r.map([](auto, auto c) { return c * c; }, centred));
    const auto rate = r.once(
        [epsilon](auto m, auto variance) { return rows::rsqrt(m, variance + epsilon); }, variance);
    const auto normal = r.map([](auto, auto c, auto rate) { return c * rate; }, centred, rate);
    const auto y = r.map_given(
        1, [](auto, auto y, auto weight) { return y * weight; }, normal);
    r.out(r.map_given(
        2, [](auto, auto y, auto bias) { return y + bias; }, y));
    r.out_once(1, average);
    r.out_once(2, variance);
  }
};

template <class T>
void run(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor (&out)[3],
         double epsilon) {
  const int64_t rows = out[1].numel(), width = x.numel() / rows;
  rows::RowOperands<T> operands;
  operands.number = epsilon;
  operands.set_in(0, x, width);
  operands.set_in(1, weight, 0);
  operands.set_in(2, bias, 0);
  operands.set_out(0, out[0], width);
  for (int i : {1, 2}) operands.set_out(i, out[i], 1);
  rows::run_rows<LayerNorm>(operands, rows, width, 1);
}

Status kernel(KernelCtx& ctx) {
  const Tensor& y = ctx.out[0];
  if (y.numel() == 0) return {};
  const DType dtype = stat_dtype(y.dtype());
  const int64_t width = y.numel() / ctx.out[1].numel();
  MSJIT_TRY(Tensor x, layout::contiguous_as(ctx.in[0], dtype));
  MSJIT_TRY(Tensor weight, parameter(ctx.in, 1, dtype, width));
  MSJIT_TRY(Tensor bias, parameter(ctx.in, 2, dtype, width));
  Tensor out[] = {y, ctx.out[1], ctx.out[2]};
  if (y.dtype() != dtype) {
    MSJIT_TRY(out[0], Tensor::empty(dtype, y.shape()));
  }
  (dtype == DType::kFloat64 ? run<double> : run<float>)(x, weight, bias, out,
                                                        ctx.attrs[1].as_float());
  if (out[0].same(y)) return {};
  MSJIT_TRY(Tensor narrow, layout::cast_to(out[0], y.dtype()));
  copy_strided(narrow, y);
  return {};
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  const DType stat = stat_dtype(in[0].dtype());
  return rows::composite<LayerNorm>(in, attrs,
                                    norm_words::last_axes(in[0].rank(), attrs[0].as_int()),
                                    {in[0].dtype(), stat, stat});
}

void vjp(Vjp& v) {
  Val x = v.in(0), dx;
  bool has_weight = v.inputs.size() > 1 && v.in(1), has_bias = v.inputs.size() > 2 && v.in(2);
  if (v.has_grad(0)) {
    Val weight = has_weight ? v.in(1) : Val();
    const Val inputs[] = {x, v.out(1), v.out(2), v.grad(), weight};
    Vals grads = call_multi(v.sink, op_layer_norm_grad, inputs, v.attrs);
    if (grads.size() != 3) return;
    dx = grads[0];
    if (has_weight) v.set_grad(1, grads[1]);
    if (has_bias) v.set_grad(2, grads[2]);
  }
  auto add_to = [&](const Val& term) { dx = dx ? dx + term : term; };
  int64_t rows = v.out(1).shape().numel();
  const int64_t width = rows ? x.shape().numel() / rows : 1;
  const auto count = static_cast<double>(width);
  if (v.has_grad(1)) add_to(v.grad(1) / count + zeros_like(x));
  if (v.has_grad(2)) add_to(v.grad(2) * (x - v.out(1)) * (2.0 / count));
  if (dx) v.set_grad(0, dx);
}

}  // namespace

MSJIT_OP(layer_norm_stats)
    .doc(
        "layer_norm over the last num_axes axes, with the mean and biased variance as further "
        "results that keep those axes as size one.")
    .signature(
        "x: Tensor, weight: Tensor? = None, bias: Tensor? = None, num_axes: int = 1, "
        "epsilon: float = 1e-5")
    .outputs(3)
    .infer(infer)
    .cpu(kernel)
    .composite(composite)
    .traits(kRows | kTotal)
    .vjp(vjp)
    .sample({.shapes = {{3, 5}, {5}, {5}}})
    .sample({.shapes = {{2, 3, 4}, {3, 4}, {3, 4}}, .attrs = "num_axes=2, epsilon=0.001"})
    .sample({.shapes = {{3, 5}}});

}  // namespace msjit
