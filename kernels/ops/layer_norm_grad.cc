#include <algorithm>

#include "kernels/core/checks.h"
#include "kernels/core/norm_words.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/rows.h"

namespace msjit {
namespace {

using namespace words;

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
  MSJIT_OK(require_shape(ctx, ctx.in(1), stats, "mean"));
  MSJIT_OK(require_shape(ctx, ctx.in(2), stats, "variance"));
  MSJIT_OK(require_shape(ctx, ctx.in(3), x.shape, "dy"));
  if (ctx.has(4)) MSJIT_OK(require_shape(ctx, ctx.in(4), params, "weight"));
  DType param = ctx.has(4) ? ctx.in(4).dtype : x.dtype;
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(param, params);
  ctx.add_output(param, params);
  return {};
}

// With n the normalised x, r = 1 / sqrt(variance + epsilon) and g = dy weight: dx = r (g - mean(g)
// - n mean(g n)), dweight = sum(dy n), dbias = sum(dy).
struct LayerNormGrad {
  template <class R>
  static void run(R& row) {
    const double epsilon = row.number(1);
    const auto x = row.in(0), dy = row.in(3);
    const auto average = row.in_once(1), variance = row.in_once(2);
    const auto r = row.once(
        [epsilon](auto m, auto variance) { return rows::rsqrt(m, variance + epsilon); }, variance);
    const auto n = row.map([](auto, auto x, auto average, auto r) { return (x - average) * r; }, x,
                           average, r);
    const auto g = row.map_given(
        4, [](auto, auto dy, auto weight) { return dy * weight; }, dy);
    const auto multiply = [](auto, auto a, auto b) { return a * b; };
    const auto means = row.means(g, row.map(multiply, g, n));
    const auto dx = row.map([](auto, auto r, auto g, auto mean_g, auto n,
                               auto mean_gn) { return r * (g - mean_g - n * mean_gn); },
                            r, g, means.first, n, means.second);
    row.out(dx, row.over_rows(row.map(multiply, dy, n)), row.over_rows(dy));
  }
};

// Adds up rows of `width` in double; each chunk has two of them.
template <class T>
void add_chunks(const T* sums, int64_t chunks, int64_t width, T* out) {
  constexpr int64_t kBlock = 256;
  for (int64_t from = 0; from < width; from += kBlock) {
    const int64_t count = std::min(kBlock, width - from);
    double totals[kBlock] = {};
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const T* own = sums + 2 * chunk * width + from;
      for (int64_t j = 0; j < count; ++j) totals[j] += static_cast<double>(own[j]);
    }
    for (int64_t j = 0; j < count; ++j) out[from + j] = static_cast<T>(totals[j]);
  }
}

// Each chunk of rows has its own sums over rows, which are added up in double. The size of a chunk
// does not depend on the number of threads.
template <class T>
Status run(const Tensor (&in)[5], const Tensor (&out)[3], double epsilon) {
  const int64_t rows = in[1].numel(), width = in[0].numel() / rows;
  const int64_t size = std::clamp<int64_t>(rows / 32, 16, 128), chunks = (rows + size - 1) / size;
  MSJIT_TRY(Tensor sums, Tensor::empty(out[1].dtype(), Shape{chunks, 2, width}));
  layout::fill_zero(sums);
  rows::RowOperands<T> operands;
  operands.number = epsilon;
  for (int k : {0, 3}) operands.set_in(k, in[k], width);
  for (int k : {1, 2}) operands.set_in(k, in[k], 1);
  operands.set_in(4, in[4], 0);
  operands.set_out(0, out[0], width);
  parallel_for(chunks, layout::grain_for(size * width), [&](int64_t from, int64_t to) {
    for (int64_t chunk = from; chunk < to; ++chunk) {
      rows::RowOperands<T> own = operands;
      for (int k : {0, 1}) own.out[k + 1] = sums.data_as<T>() + (2 * chunk + k) * width;
      rows::run_range<LayerNormGrad>(own, width, chunk * size, std::min(rows, (chunk + 1) * size));
    }
  });
  for (int k : {0, 1})
    add_chunks(sums.data_as<T>() + k * width, chunks, width, out[k + 1].data_as<T>());
  return {};
}

Status kernel(KernelCtx& ctx) {
  if (ctx.in[0].numel() == 0) {
    for (Tensor& out : ctx.out) layout::fill_zero(out);
    return {};
  }
  DType dtype = ctx.in[0].dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Tensor in[5], out[3];
  for (size_t i = 0; i < 5; ++i) {
    Tensor source = i < ctx.in.size() ? ctx.in[i] : Tensor();
    if (!source) source = layout::broadcast(Tensor::scalar_of(dtype, 1), ctx.out[1].shape());
    MSJIT_TRY(in[i], layout::contiguous_as(source, dtype));
  }
  for (int i = 0; i < 3; ++i) {
    out[i] = ctx.out[i];
    if (out[i].dtype() == dtype) continue;
    MSJIT_TRY(out[i], Tensor::empty(dtype, ctx.out[i].shape()));
  }
  MSJIT_OK((dtype == DType::kFloat64 ? run<double> : run<float>)(in, out, ctx.attrs[1].as_float()));
  for (int i = 0; i < 3; ++i) {
    if (out[i].same(ctx.out[i])) continue;
    MSJIT_TRY(Tensor narrow, layout::cast_to(out[i], ctx.out[i].dtype()));
    copy_strided(narrow, ctx.out[i]);
  }
  return {};
}

Vals composite(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  const DType param = in.size() > 4 && in[4] ? in[4].dtype() : in[0].dtype();
  return rows::composite<LayerNormGrad>(in, attrs,
                                        norm_words::last_axes(in[0].rank(), attrs[0].as_int()),
                                        {in[0].dtype(), param, param});
}

// mean and variance are computed from x, so the gradient of x includes what goes through them.
void vjp(Vjp& v) {
  int rank = v.in(0).rank(), kept = rank - static_cast<int>(v.attrs[0].as_int());
  IntList stats, params;
  for (int i = 0; i < rank; ++i) (i < kept ? params : stats).push_back(i);
  bool has_weight = v.inputs.size() > 4 && v.in(4);
  Val weight = has_weight ? v.in(4) : number(v.sink, 1, v.in(0).dtype());
  norm_words::Result grads = norm_words::second_order(
      {v.in(0), weight, v.in(3), stats, params, v.attrs[1].as_float()},
      {v.has_grad(0) ? v.grad(0) : Val(), v.has_grad(1) ? v.grad(1) : Val(),
       v.has_grad(2) ? v.grad(2) : Val()});
  if (v.needs(0) && grads.x) v.set_grad(0, grads.x);
  if (v.needs(3) && grads.g) v.set_grad(3, grads.g);
  if (has_weight && v.needs(4) && grads.scale) v.set_grad(4, reshape(grads.scale, v.in(4).shape()));
}

}  // namespace

MSJIT_OP(layer_norm_grad)
    .doc("Gradient of layer_norm: dx, dweight and dbias from dy and the mean and variance of x.")
    .signature(
        "x: Tensor, mean: Tensor, variance: Tensor, dy: Tensor, weight: Tensor? = None, "
        "num_axes: int = 1, epsilon: float = 1e-5")
    .outputs(3)
    .infer(infer)
    .cpu(kernel)
    .composite(composite)
    .traits(kRows | kTotal)
    .vjp(vjp);

}  // namespace msjit
