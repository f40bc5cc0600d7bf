// Convolution and pooling. The gradient of a convolution's weight: conv_weight_grad.cc.
#include "kernels/cpu/onednn/window_desc.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit::onednn {
namespace {

void build_conv(Builder& builder, const Window2d& w, memory::data_type type, Orders last, bool bias,
                bool packed) {
  const auto desc = best_fit(w, last, [&](Orders orders) {
    return conv_desc(w, orders, bias, dnnl::prop_kind::forward_inference, type);
  });
  memory::desc x = plain(input_dims(w), order_tag(last.in), type),
               y = plain(output_dims(w), order_tag(last.out), type),
               weight = plain(weight_dims(w), weight_tag(w), type), best = desc.weights_desc();
  std::vector<Arg> args = {
      {DNNL_ARG_SRC, builder.input(x, desc.src_desc())},
      {DNNL_ARG_WEIGHTS, packed ? builder.packed(weight, best) : builder.input(weight, best)},
      {DNNL_ARG_DST, builder.output(y, desc.dst_desc())}};
  if (bias) args.push_back({DNNL_ARG_BIAS, builder.operand(vector(w.out_channels))});
  builder.add(desc, dnnl::convolution_forward(desc), std::move(args));
}

void build_conv_input_grad(Builder& builder, const Window2d& w, memory::data_type type,
                           Orders last) {
  const auto desc = best_fit(w, last, [&](Orders orders) {
    return dnnl::convolution_backward_data::primitive_desc(
        engine(), dnnl::algorithm::convolution_direct, wanted(input_dims(w), orders.in, type),
        any(weight_dims(w), type), wanted(output_dims(w), orders.out, type), dims2(w.stride),
        gaps(w), dims2(w.pad_begin), dims2(w.pad_end),
        conv_desc(w, orders, false, dnnl::prop_kind::forward_training, type), user_scratchpad());
  });
  memory::desc dx = plain(input_dims(w), order_tag(last.in), type),
               dy = plain(output_dims(w), order_tag(last.out), type),
               weight = plain(weight_dims(w), weight_tag(w), type);
  builder.add(desc, dnnl::convolution_backward_data(desc),
              {{DNNL_ARG_DIFF_DST, builder.input(dy, desc.diff_dst_desc())},
               {DNNL_ARG_WEIGHTS, builder.input(weight, desc.weights_desc())},
               {DNNL_ARG_DIFF_SRC, builder.output(dx, desc.diff_src_desc())}});
}

dnnl::pooling_forward::primitive_desc pool_desc(
    const Window2d& w, Pool kind, bool channels_last,
    dnnl::prop_kind prop = dnnl::prop_kind::forward_inference) {
  auto algorithm = kind == Pool::kMax       ? dnnl::algorithm::pooling_max
                   : kind == Pool::kAverage ? dnnl::algorithm::pooling_avg_exclude_padding
                                            : dnnl::algorithm::pooling_avg_include_padding;
  return {engine(),
          prop,
          algorithm,
          plain(input_dims(w), order_tag(channels_last)),
          plain(output_dims(w), order_tag(channels_last)),
          dims2(w.stride),
          dims2(w.kernel),
          gaps(w),
          dims2(w.pad_begin),
          dims2(w.pad_end),
          user_scratchpad()};
}

// The order in which images are pooled. With AVX2 oneDNN has a vectorised kernel for channels-last
// images only; reordering others costs a fraction of what it saves.
bool pools_channels_last(const Window2d& w, Pool kind, bool channels_last) {
  const auto is_simple = [&](bool last) {
    return std::string_view(pool_desc(w, kind, last).impl_info_str()).starts_with("simple");
  };
  return channels_last || (is_simple(false) && !is_simple(true));
}

void build_pool(Builder& builder, const Window2d& w, Pool kind, bool channels_last) {
  const auto desc = pool_desc(w, kind, pools_channels_last(w, kind, channels_last));
  const Tag tag = order_tag(channels_last);
  builder.add(desc, dnnl::pooling_forward(desc),
              {{DNNL_ARG_SRC, builder.input(plain(input_dims(w), tag), desc.src_desc())},
               {DNNL_ARG_DST, builder.output(plain(output_dims(w), tag), desc.dst_desc())}});
}

// Runs the forward pass again: it leaves the positions of the maxima in a workspace.
void build_max_pool_grad(Builder& builder, const Window2d& w, bool channels_last) {
  const auto forward = pool_desc(w, Pool::kMax, pools_channels_last(w, Pool::kMax, channels_last),
                                 dnnl::prop_kind::forward_training);
  const memory::desc x = plain(input_dims(w), order_tag(channels_last)),
                     y = plain(output_dims(w), order_tag(channels_last));
  const memory images = builder.input(x, forward.src_desc());
  const memory positions = builder.temporary(forward.workspace_desc());
  builder.add(forward, dnnl::pooling_forward(forward),
              {{DNNL_ARG_SRC, images},
               {DNNL_ARG_DST, builder.temporary(forward.dst_desc())},
               {DNNL_ARG_WORKSPACE, positions}});
  dnnl::pooling_backward::primitive_desc desc(
      engine(), dnnl::algorithm::pooling_max, forward.src_desc(), forward.dst_desc(),
      dims2(w.stride), dims2(w.kernel), gaps(w), dims2(w.pad_begin), dims2(w.pad_end), forward,
      user_scratchpad());
  builder.add(desc, dnnl::pooling_backward(desc),
              {{DNNL_ARG_DIFF_DST, builder.input(y, desc.diff_dst_desc())},
               {DNNL_ARG_DIFF_SRC, builder.output(x, desc.diff_src_desc())},
               {DNNL_ARG_WORKSPACE, positions}});
}

void build_pool_grad(Builder& builder, const Window2d& w, Pool kind, bool channels_last) {
  auto algorithm = kind == Pool::kAverage ? dnnl::algorithm::pooling_avg_exclude_padding
                                          : dnnl::algorithm::pooling_avg_include_padding;
  const auto forward = pool_desc(w, kind, pools_channels_last(w, kind, channels_last));
  const dnnl::pooling_backward::primitive_desc desc(
      engine(), algorithm, forward.src_desc(), forward.dst_desc(), dims2(w.stride), dims2(w.kernel),
      gaps(w), dims2(w.pad_begin), dims2(w.pad_end), forward, user_scratchpad());
  const Tag tag = order_tag(channels_last);
  builder.add(
      desc, dnnl::pooling_backward(desc),
      {{DNNL_ARG_DIFF_DST, builder.input(plain(output_dims(w), tag), desc.diff_dst_desc())},
       {DNNL_ARG_DIFF_SRC, builder.output(plain(input_dims(w), tag), desc.diff_src_desc())}});
}

}  // namespace

// One layer of a usual size is asked about; its answer is taken for all.
bool prefers_channels_last() {
  static const bool answer = [] {
    const Window2d w{1, 64, 64, 1, {56, 56}, {56, 56}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    try {
      const auto desc = conv_desc(w, {}, false, dnnl::prop_kind::forward_inference);
      return desc.src_desc() == plain(input_dims(w), Tag::nhwc) &&
             desc.dst_desc() == plain(output_dims(w), Tag::nhwc);
    } catch (const dnnl::error&) {
      return false;
    }
  }();
  return answer;
}

// Without native instructions, 16-bit floats are faster when converted to float32.
bool convolves(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return true;
    case DType::kBFloat16: return has_isa(dnnl::cpu_isa::avx512_core_bf16);
    case DType::kFloat16: return has_isa(dnnl::cpu_isa::avx512_core_fp16);
    default: return false;
  }
}

Status conv_forward(const Window2d& w, Images x, const Tensor& weight, const float* bias,
                    ImagesOut y) {
  const SerialScope serial(operations(w) < kSmallWork);
  const Orders last{x.channels_last, y.channels_last};
  const memory::data_type type = data_type(weight.dtype());
  Key key = window_key(
      Kind::kConv, w,
      last.in | last.out << 1 | (bias != nullptr) << 2 | static_cast<int64_t>(weight.dtype()) << 3);
  return run_weighted([&](bool packed) { return key.with(packed); }, key.hash(), &weight,
                      operands_with(bias, {x.data, weight.data(), y.data}),
                      [&](bool packed, bool) -> Result<ProgramPtr> {
                        Builder builder;
                        build_conv(builder, w, type, last, bias, packed);
                        return builder.finish();
                      });
}

Status conv_input_grad(const Window2d& w, DType dtype, Images dy, const void* weight,
                       ImagesOut dx) {
  const SerialScope serial(operations(w) < kSmallWork);
  const Orders last{dx.channels_last, dy.channels_last};
  return run_cached(window_key(Kind::kConvInputGrad, w,
                               last.in | last.out << 1 | static_cast<int64_t>(dtype) << 3),
                    {dy.data, weight, dx.data}, [&](Builder& builder) {
                      build_conv_input_grad(builder, w, data_type(dtype), last);
                    });
}

Status pool_forward(const Window2d& w, Pool kind, Images x, float* y) {
  const int64_t variant = static_cast<int64_t>(kind) << 1 | x.channels_last;
  return run_cached(window_key(Kind::kPool, w, variant), {x.data, y},
                    [&](Builder& builder) { build_pool(builder, w, kind, x.channels_last); });
}

Status max_pool_grad(const Window2d& w, Images x, const float* dy, float* dx) {
  return run_cached(window_key(Kind::kMaxPoolGrad, w, x.channels_last), {x.data, dy, dx},
                    [&](Builder& builder) { build_max_pool_grad(builder, w, x.channels_last); });
}

Status average_pool_grad(const Window2d& w, Pool kind, Images dy, float* dx) {
  const int64_t variant = static_cast<int64_t>(kind) << 1 | dy.channels_last;
  return run_cached(window_key(Kind::kPoolGrad, w, variant), {dy.data, dx},
                    [&](Builder& builder) { build_pool_grad(builder, w, kind, dy.channels_last); });
}

}  // namespace msjit::onednn
