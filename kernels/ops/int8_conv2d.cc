#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/int8_loops.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/window.h"

namespace msjit {
namespace {

constexpr int64_t kMostProducts = 65793;  // of 255 and -128, whose sum 32 bits hold

Status infer(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &weight = ctx.in(1);
  MSJIT_OK(require_byte(ctx, x, "x"));
  MSJIT_OK(require_dtype(ctx, weight, DType::kInt8, "weight"));
  MSJIT_TRY(const onednn::Window2d w, window::conv(ctx.name(), x.shape, weight.shape, ctx.attrs));
  const int64_t products = weight.shape[1] * w.kernel[0] * w.kernel[1];
  if (products > kMostProducts)
    return value_error(
        "[{}] weight has too many numbers an output channel, got {}, expected at most {}",
        ctx.name(), products, kMostProducts);
  const char* const names[] = {"", "", "scale", "bias"};
  for (int i = 2; i < 4; ++i) {
    if (!ctx.has(i)) continue;
    MSJIT_OK(require_dtype(ctx, ctx.in(i), DType::kFloat32, names[i]));
    MSJIT_OK(require_shape(ctx, ctx.in(i), {w.out_channels}, names[i]));
  }
  const Shape shape = window::output_shape(w);
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(DType::kFloat32, shape);
  return {};
}

// Where there is nothing to sum there is the bias alone.
void write_bias(const onednn::Window2d& w, const Tensor& bias, const Tensor& y) {
  layout::fill_zero(y);
  if (!bias) return;
  const Tensor channel = Tensor::view(bias, {w.out_channels, 1, 1}, {bias.strides()[0], 0, 0}, 0);
  copy_strided(layout::broadcast(channel, y.shape()), y);
}

Status kernel(KernelCtx& ctx) {
  const Tensor& y = ctx.out[0];
  if (y.numel() == 0) return {};
  MSJIT_TRY(const onednn::Window2d w,
            window::conv(ctx.op.name, ctx.in[0].shape(), ctx.in[1].shape(), ctx.attrs));
  Tensor bias;
  if (ctx.in.size() > 3 && ctx.in[3]) {
    MSJIT_TRY(bias, ctx.in[3].to_contiguous());
  }
  MSJIT_TRY(const Tensor weight, ctx.in[1].to_contiguous());
  if (weight.numel() == 0 || ctx.in[0].numel() == 0) return write_bias(w, bias, y), Status{};
  MSJIT_TRY(const Tensor scale, ctx.in[2].to_contiguous());
  // Bytes are cheaper to reorder than to read in another order.
  MSJIT_TRY(const Tensor x, layout::to_channels_last(ctx.in[0]));
  const bool is_unsigned = x.dtype() == DType::kUInt8;
  const float* const add = bias ? bias.data_as<float>() : nullptr;
  const auto* const factors = scale.data_as<float>();
  const onednn::ImagesOut to{y.data(), layout::is_channels_last(y)};
  if (!onednn::multiplies_int8())
    return int8_loops::convolve(w, {x.data(), is_unsigned, weight, factors, add, to});
  return onednn::int8_conv(w, is_unsigned, {x.data(), true}, weight, factors, add, to);
}

// Of scale and bias alone: integers have no gradient.
void vjp(Vjp& v) {
  using namespace words;
  const IntList others{0, 2, 3};
  if (v.needs(2)) {
    const Val ones = full_like(v.in(2), 1.0);
    v.set_grad(2, sum(v.grad() * call(*v.op, {v.in(0), v.in(1), ones}, v.attrs), others));
  }
  if (v.inputs.size() > 3 && v.needs(3)) v.set_grad(3, sum(v.grad(), others));
}

}  // namespace

MSJIT_OP(int8_conv2d)
    .doc(
        "2-D convolution of 8-bit integers: x (N, C, H, W; int8 or uint8) with weight (out, C / "
        "groups, kH, kW; int8), summed exactly, times scale (out), plus bias (out); float32. "
        "Padding, which stands for 0, takes one, two or four (top, bottom, left, right) values.")
    .signature(
        "x: Tensor, weight: Tensor, scale: Tensor, bias: Tensor? = None, stride: int[] = 1, "
        "padding: int[] = 0, dilation: int[] = 1, groups: int = 1")
    .traits(kChannelsLast | kBatched | kTotal)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3, 5, 5}, {4, 3, 3, 3}, {4}, {4}},
             .low_high = {-128, 127},
             .dtypes = {"int8", "int8", "float32", "float32"},
             .check_grad = false})
    .sample({.shapes = {{1, 4, 6, 5}, {20, 2, 3, 2}, {20}},
             .low_high = {0, 127},
             .attrs = "stride=[2, 1], padding=[1, 2, 0, 1], dilation=2, groups=2",
             .dtypes = {"uint8", "int8", "float32"},
             .check_grad = false});

}  // namespace msjit
