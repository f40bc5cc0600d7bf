// Convolution and pooling.
#include "kernels/cpu/onednn/program.h"

namespace msjit::onednn {
namespace {

memory::dims input_dims(const Window2d& w) { return {w.batch, w.in_channels, w.in[0], w.in[1]}; }
memory::dims output_dims(const Window2d& w) {
  return {w.batch, w.out_channels, w.out[0], w.out[1]};
}
memory::dims weight_dims(const Window2d& w) {
  int64_t in = w.in_channels / w.groups;
  if (w.groups == 1) return {w.out_channels, in, w.kernel[0], w.kernel[1]};
  return {w.groups, w.out_channels / w.groups, in, w.kernel[0], w.kernel[1]};
}
Tag weight_tag(const Window2d& w) { return w.groups == 1 ? Tag::oihw : Tag::goihw; }
memory::dims dims2(const int64_t (&pair)[2]) { return {pair[0], pair[1]}; }
memory::dims gaps(const Window2d& w) { return {w.dilation[0] - 1, w.dilation[1] - 1}; }

Key window_key(Kind kind, const Window2d& w, int64_t variant) {
  Key key(kind);
  key << variant << w.batch << w.in_channels << w.out_channels << w.groups << w.in << w.out
      << w.kernel << w.stride << w.dilation << w.pad_begin << w.pad_end;
  return key;
}

dnnl::convolution_forward::primitive_desc conv_desc(const Window2d& w, bool bias,
                                                    dnnl::prop_kind prop) {
  memory::dims stride = dims2(w.stride), begin = dims2(w.pad_begin), end = dims2(w.pad_end);
  auto algorithm = dnnl::algorithm::convolution_direct;
  memory::desc x = any(input_dims(w)), weight = any(weight_dims(w)), y = any(output_dims(w));
  if (bias)
    return {engine(), prop,   algorithm, x,     weight, vector(w.out_channels),
            y,        stride, gaps(w),   begin, end,    user_scratchpad()};
  return {engine(), prop, algorithm, x, weight, y, stride, gaps(w), begin, end, user_scratchpad()};
}

void build_conv(Builder& builder, const Window2d& w, bool bias, bool packed) {
  auto desc = conv_desc(w, bias, dnnl::prop_kind::forward_inference);
  memory::desc weight = plain(weight_dims(w), weight_tag(w)), wanted = desc.weights_desc();
  std::vector<Arg> args = {
      {DNNL_ARG_SRC, builder.input(plain(input_dims(w), Tag::nchw), desc.src_desc())},
      {DNNL_ARG_WEIGHTS, packed ? builder.packed(weight, wanted) : builder.input(weight, wanted)},
      {DNNL_ARG_DST, builder.output(plain(output_dims(w), Tag::nchw), desc.dst_desc())}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(vector(w.out_channels))});
  builder.add(desc, dnnl::convolution_forward(desc), std::move(args));
}

void build_conv_input_grad(Builder& builder, const Window2d& w) {
  auto hint = conv_desc(w, false, dnnl::prop_kind::forward_training);
  dnnl::convolution_backward_data::primitive_desc desc(
      engine(), dnnl::algorithm::convolution_direct, any(input_dims(w)), any(weight_dims(w)),
      any(output_dims(w)), dims2(w.stride), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), hint,
      user_scratchpad());
  builder.add(
      desc, dnnl::convolution_backward_data(desc),
      {{DNNL_ARG_DIFF_DST, builder.input(plain(output_dims(w), Tag::nchw), desc.diff_dst_desc())},
       {DNNL_ARG_WEIGHTS, builder.input(plain(weight_dims(w), weight_tag(w)), desc.weights_desc())},
       {DNNL_ARG_DIFF_SRC, builder.output(plain(input_dims(w), Tag::nchw), desc.diff_src_desc())}});
}

void build_conv_weight_grad(Builder& builder, const Window2d& w) {
  auto hint = conv_desc(w, false, dnnl::prop_kind::forward_training);
  dnnl::convolution_backward_weights::primitive_desc desc(
      engine(), dnnl::algorithm::convolution_direct, any(input_dims(w)), any(weight_dims(w)),
      any(output_dims(w)), dims2(w.stride), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), hint,
      user_scratchpad());
  builder.add(
      desc, dnnl::convolution_backward_weights(desc),
      {{DNNL_ARG_SRC, builder.input(plain(input_dims(w), Tag::nchw), desc.src_desc())},
       {DNNL_ARG_DIFF_DST, builder.input(plain(output_dims(w), Tag::nchw), desc.diff_dst_desc())},
       {DNNL_ARG_DIFF_WEIGHTS,
        builder.output(plain(weight_dims(w), weight_tag(w)), desc.diff_weights_desc())}});
}

dnnl::pooling_forward::primitive_desc pool_desc(
    const Window2d& w, Pool kind, dnnl::prop_kind prop = dnnl::prop_kind::forward_inference) {
  auto algorithm = kind == Pool::kMax       ? dnnl::algorithm::pooling_max
                   : kind == Pool::kAverage ? dnnl::algorithm::pooling_avg_exclude_padding
                                            : dnnl::algorithm::pooling_avg_include_padding;
  return {engine(),
          prop,
          algorithm,
          plain(input_dims(w), Tag::nchw),
          plain(output_dims(w), Tag::nchw),
          dims2(w.stride),
          dims2(w.kernel),
          gaps(w),
          dims2(w.pad_begin),
          dims2(w.pad_end),
          user_scratchpad()};
}

void build_pool(Builder& builder, const Window2d& w, Pool kind) {
  auto desc = pool_desc(w, kind);
  builder.add(desc, dnnl::pooling_forward(desc),
              {{DNNL_ARG_SRC, builder.operand(desc.src_desc())},
               {DNNL_ARG_DST, builder.operand(desc.dst_desc())}});
}

// The forward pass is run again for the positions of the maxima, which it leaves in a workspace.
void build_max_pool_grad(Builder& builder, const Window2d& w) {
  auto forward = pool_desc(w, Pool::kMax, dnnl::prop_kind::forward_training);
  memory x = builder.operand(forward.src_desc());
  memory positions = builder.temporary(forward.workspace_desc());
  builder.add(forward, dnnl::pooling_forward(forward),
              {{DNNL_ARG_SRC, x},
               {DNNL_ARG_DST, builder.temporary(forward.dst_desc())},
               {DNNL_ARG_WORKSPACE, positions}});
  dnnl::pooling_backward::primitive_desc desc(
      engine(), dnnl::algorithm::pooling_max, forward.src_desc(), forward.dst_desc(),
      dims2(w.stride), dims2(w.kernel), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), forward,
      user_scratchpad());
  builder.add(desc, dnnl::pooling_backward(desc),
              {{DNNL_ARG_DIFF_DST, builder.operand(desc.diff_dst_desc())},
               {DNNL_ARG_DIFF_SRC, builder.operand(desc.diff_src_desc())},
               {DNNL_ARG_WORKSPACE, positions}});
}

void build_pool_grad(Builder& builder, const Window2d& w, Pool kind) {
  auto algorithm = kind == Pool::kAverage ? dnnl::algorithm::pooling_avg_exclude_padding
                                          : dnnl::algorithm::pooling_avg_include_padding;
  dnnl::pooling_backward::primitive_desc desc(
      engine(), algorithm, plain(input_dims(w), Tag::nchw), plain(output_dims(w), Tag::nchw),
      dims2(w.stride), dims2(w.kernel), gaps(w), dims2(w.pad_begin), dims2(w.pad_end),
      pool_desc(w, kind), user_scratchpad());
  builder.add(desc, dnnl::pooling_backward(desc),
              {{DNNL_ARG_DIFF_DST, builder.operand(desc.diff_dst_desc())},
               {DNNL_ARG_DIFF_SRC, builder.operand(desc.diff_src_desc())}});
}

}  // namespace

Status conv_forward(const Window2d& w, const float* x, const Tensor& weight, const float* bias,
                    float* y) {
  Key key = window_key(Kind::kConv, w, bias != nullptr);
  return run_weighted([&](bool packed) { return key.with(packed); }, key.hash(), &weight,
                      operands_with(bias, {x, weight.data(), y}),
                      [&](bool packed, bool) -> Result<ProgramPtr> {
                        Builder builder;
                        build_conv(builder, w, bias, packed);
                        return builder.finish();
                      });
}

Status conv_input_grad(const Window2d& w, const float* dy, const float* weight, float* dx) {
  return run_cached(window_key(Kind::kConvInputGrad, w, 0), {dy, weight, dx},
                    [&](Builder& builder) { build_conv_input_grad(builder, w); });
}

Status conv_weight_grad(const Window2d& w, const float* x, const float* dy, float* dweight) {
  return run_cached(window_key(Kind::kConvWeightGrad, w, 0), {x, dy, dweight},
                    [&](Builder& builder) { build_conv_weight_grad(builder, w); });
}

Status pool_forward(const Window2d& w, Pool kind, const float* x, float* y) {
  return run_cached(window_key(Kind::kPool, w, static_cast<int64_t>(kind)), {x, y},
                    [&](Builder& builder) { build_pool(builder, w, kind); });
}

Status max_pool_grad(const Window2d& w, const float* x, const float* dy, float* dx) {
  return run_cached(window_key(Kind::kMaxPoolGrad, w, 0), {x, dy, dx},
                    [&](Builder& builder) { build_max_pool_grad(builder, w); });
}

Status average_pool_grad(const Window2d& w, Pool kind, const float* dy, float* dx) {
  return run_cached(window_key(Kind::kPoolGrad, w, static_cast<int64_t>(kind)), {dy, dx},
                    [&](Builder& builder) { build_pool_grad(builder, w, kind); });
}

}  // namespace msjit::onednn
