// Normalisation.
#include "kernels/cpu/onednn/program.h"
#include "kernels/cpu/serial_scope.h"

namespace msjit::onednn {
namespace {

using Flags = dnnl::normalization_flags;

// With fewer elements, waking a second thread takes longer than the work.
constexpr int64_t kFewElements = 4096;

bool is_small(const BatchNorm& p) { return p.batch * p.channels * p.inner < kFewElements; }

dnnl::batch_normalization_forward::primitive_desc batch_norm_desc(const BatchNorm& p,
                                                                  bool given_stats) {
  memory::desc x = plain({p.batch, p.channels, 1, p.inner}, Tag::nchw);
  Flags flags = Flags::use_scale | Flags::use_shift;
  if (given_stats) flags |= Flags::use_global_stats;
  auto prop = given_stats ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  return {engine(), prop, x, x, p.epsilon, flags, user_scratchpad()};
}

void build_batch_norm(Builder& builder, const BatchNorm& p) {
  auto desc = batch_norm_desc(p, !p.training);
  builder.add(desc, dnnl::batch_normalization_forward(desc),
              {{DNNL_ARG_SRC, builder.operand(desc.src_desc())},
               {DNNL_ARG_SCALE, builder.operand(vector(p.channels))},
               {DNNL_ARG_SHIFT, builder.operand(vector(p.channels))},
               {DNNL_ARG_MEAN, builder.operand(desc.mean_desc())},
               {DNNL_ARG_VARIANCE, builder.operand(desc.variance_desc())},
               {DNNL_ARG_DST, builder.operand(desc.dst_desc())}});
}

void build_batch_norm_grad(Builder& builder, const BatchNorm& p) {
  auto hint = batch_norm_desc(p, false);
  memory::desc x = hint.src_desc();
  dnnl::batch_normalization_backward::primitive_desc desc(
      engine(), dnnl::prop_kind::backward, x, x, x, p.epsilon, Flags::use_scale | Flags::use_shift,
      hint, user_scratchpad());
  builder.add(desc, dnnl::batch_normalization_backward(desc),
              {{DNNL_ARG_SRC, builder.operand(x)},
               {DNNL_ARG_SCALE, builder.operand(vector(p.channels))},
               {DNNL_ARG_MEAN, builder.operand(desc.mean_desc())},
               {DNNL_ARG_VARIANCE, builder.operand(desc.variance_desc())},
               {DNNL_ARG_DIFF_DST, builder.operand(x)},
               {DNNL_ARG_DIFF_SRC, builder.operand(x)},
               {DNNL_ARG_DIFF_SCALE, builder.operand(vector(p.channels))},
               {DNNL_ARG_DIFF_SHIFT, builder.operand(vector(p.channels))}});
}

}  // namespace

static Key batch_norm_key(Kind kind, const BatchNorm& p) {
  Key key(kind);
  key << p.batch << p.channels << p.inner << std::bit_cast<int32_t>(p.epsilon) << p.training;
  return key;
}

Status batch_norm(const BatchNorm& p, const float* x, const float* scale, const float* shift,
                  float* mean, float* variance, float* y) {
  const SerialScope serial(is_small(p));
  return run_cached(batch_norm_key(Kind::kBatchNorm, p), {x, scale, shift, mean, variance, y},
                    [&](Builder& builder) { build_batch_norm(builder, p); });
}

Status batch_norm_grad(const BatchNorm& p, const float* x, const float* scale, const float* mean,
                       const float* variance, const float* dy, float* dx, float* dscale,
                       float* dshift) {
  const SerialScope serial(is_small(p));
  return run_cached(batch_norm_key(Kind::kBatchNormGrad, p),
                    {x, scale, mean, variance, dy, dx, dscale, dshift},
                    [&](Builder& builder) { build_batch_norm_grad(builder, p); });
}

}  // namespace msjit::onednn
