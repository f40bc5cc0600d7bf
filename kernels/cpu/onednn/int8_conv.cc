// Convolutions of 8-bit integers, summed exactly in 32 bits.
#include "kernels/cpu/onednn/window_desc.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit::onednn {
namespace {

dnnl::convolution_forward::primitive_desc describe(const Window2d& w, memory::data_type type,
                                                   Orders last, bool bias) {
  dnnl::primitive_attr attr = user_scratchpad();
  // A scale for each output channel: of grouped weights their first two axes.
  attr.set_scales_mask(DNNL_ARG_WEIGHTS, w.groups == 1 ? 1 : 3);
  constexpr auto kProp = dnnl::prop_kind::forward_inference;
  constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
  const memory::desc x = wanted(input_dims(w), last.in, type),
                     weight = any(weight_dims(w), memory::data_type::s8),
                     y = wanted(output_dims(w), last.out);
  const memory::dims stride = dims2(w.stride), begin = dims2(w.pad_begin), end = dims2(w.pad_end);
  if (!bias) return {engine(), kProp, kAlgorithm, x, weight, y, stride, gaps(w), begin, end, attr};
  return {engine(), kProp,  kAlgorithm, x,     weight, vector(w.out_channels),
          y,        stride, gaps(w),    begin, end,    attr};
}

void build(Builder& builder, const Window2d& w, memory::data_type type, Orders last, bool bias,
           bool packed) {
  const auto desc =
      best_fit(w, last, [&](Orders orders) { return describe(w, type, orders, bias); });
  const memory::desc x = plain(input_dims(w), order_tag(last.in), type),
                     y = plain(output_dims(w), order_tag(last.out)),
                     weight = plain(weight_dims(w), weight_tag(w), memory::data_type::s8),
                     best = desc.weights_desc();
  std::vector<Arg> args = {
      {DNNL_ARG_SRC, builder.input(x, desc.src_desc())},
      {DNNL_ARG_WEIGHTS, packed ? builder.packed(weight, best) : builder.input(weight, best)},
      {DNNL_ARG_DST, builder.output(y, desc.dst_desc())},
      {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, builder.operand(vector(w.out_channels))}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(vector(w.out_channels))});
  builder.add(desc, dnnl::convolution_forward(desc), std::move(args));
}

}  // namespace

Status int8_conv(const Window2d& w, bool is_unsigned, Images x, const Tensor& weight,
                 const float* scale, const float* bias, ImagesOut y) {
  const SerialScope serial(operations(w) < kSmallWork);
  const Orders last{x.channels_last, y.channels_last};
  const auto type = is_unsigned ? memory::data_type::u8 : memory::data_type::s8;
  const Key key = window_key(Kind::kInt8Conv, w,
                             last.in | last.out << 1 | (bias != nullptr) << 2 | is_unsigned << 3);
  return run_weighted([&](bool packed) { return key.with(packed); }, key.hash(), &weight,
                      operands_with(bias, {x.data, weight.data(), y.data, scale}),
                      [&](bool packed, bool) -> Result<ProgramPtr> {
                        Builder builder;
                        build(builder, w, type, last, bias != nullptr, packed);
                        return builder.finish();
                      });
}

}  // namespace msjit::onednn
