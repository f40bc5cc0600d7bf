#include <map>

#include "kernels/cpu/layout.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/processes/calls.h"
#include "kernels/processes/collectives.h"

namespace msjit {

extern const OpDef op_mul;

namespace {

enum Attr { kWhere, kGroup, kScale };

// The most bytes of gradients sent together. A larger gradient is sent alone.
constexpr int64_t kBucket = int64_t{4} << 20;

using Bucket = std::vector<int32_t>;  // gradients of one dtype, by place

// Every member makes the same ones, because the dtypes and shapes are the same.
std::vector<Bucket> buckets_of(std::span<const Tensor> grads) {
  struct Filling {
    Bucket places;
    int64_t bytes = 0;
  };
  std::vector<Bucket> finished;
  std::map<DType, Filling> filling;
  for (size_t i = 0; i < grads.size(); ++i) {
    const int64_t bytes = grads[i].nbytes();
    if (bytes >= kBucket) {
      finished.push_back({static_cast<int32_t>(i)});
      continue;
    }
    Filling& at = filling[grads[i].dtype()];
    if (at.bytes + bytes > kBucket) finished.push_back(std::exchange(at, {}).places);
    at.places.push_back(static_cast<int32_t>(i));
    at.bytes += bytes;
  }
  for (auto& [dtype, at] : filling) finished.push_back(std::move(at.places));
  return finished;
}

// Writes values * scale to `out`, converted to its dtype.
Status scale_into(const Tensor& values, double scale, const Tensor& out) {
  Tensor scaled = values;
  if (scale != 1) {
    const Tensor in[] = {values, Tensor::scalar<double>(scale, true)};
    if (is_float(out.dtype()) && out.dtype() == values.dtype()) {
      Tensor to[] = {out};
      KernelCtx ctx{op_mul, in, to, {}};
      return op_mul.host_kernel()(ctx);
    }
    TensorVec product;
    MSJIT_OK(run_op_untracked(op_mul, in, {}, &product));
    scaled = product[0];
  }
  MSJIT_TRY(scaled, layout::cast_to(scaled, out.dtype()));
  copy_strided(scaled, out);
  return {};
}

// Sums the gradients of a bucket in one message; 16-bit floats as float32.
Status sum_bucket(int group, std::span<const Tensor> grads, std::span<Tensor> outs,
                  const Bucket& bucket, double scale) {
  const DType dtype = grads[bucket[0]].dtype();
  const bool half = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (bucket.size() == 1 && !half) {
    const Tensor& out = outs[bucket[0]];
    MSJIT_OK(all_reduce(group, grads[bucket[0]], out, Reduction::kSum));
    return scale == 1 ? Status() : scale_into(out, scale, out);
  }
  int64_t count = 0, at = 0;
  for (const int32_t i : bucket) count += grads[i].numel();
  MSJIT_TRY(const Tensor flat,
            Tensor::empty({half ? DType::kFloat32 : dtype, false, Shape{count}}));
  const auto part = [&](int32_t i) {
    const Shape& shape = grads[i].shape();
    const int64_t from = std::exchange(at, at + grads[i].numel());
    return Tensor::view(flat, shape, contiguous_strides(shape), from);
  };
  for (const int32_t i : bucket) {
    MSJIT_TRY(const Tensor grad, layout::cast_to(grads[i], flat.dtype()));
    copy_strided(grad, part(i));
  }
  MSJIT_OK(all_reduce(group, flat, flat, Reduction::kSum));
  at = 0;
  for (const int32_t i : bucket) MSJIT_OK(scale_into(part(i), scale, outs[i]));
  return {};
}

Status infer(InferCtx& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    ctx.add_output(ctx.in(i).dtype, ctx.in(i).shape);
    MSJIT_OK(require_host(ctx.in(i)));
  }
  ctx.add_output(DType::kInt64, Shape{});
  return {};
}

Status kernel(KernelCtx& ctx) {
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const double scale = ctx.attrs[kScale].as_float();
  CallText text{ctx.attrs[kWhere].as_string(), {}, {}};
  for (const Tensor& grad : ctx.in) {
    text.dtypes += fmt::format("{}{}", text.dtypes.empty() ? "" : " ", dtype_name(grad.dtype()));
    text.details +=
        fmt::format("{}{}", text.details.empty() ? "" : ", ", tensor_text(grad.meta()));
  }
  return make_call(ctx, group, text, {}, [&](std::span<const Tensor> grads) -> Status {
    for (const Bucket& bucket : buckets_of(grads))
      MSJIT_OK(sum_bucket(group, grads, ctx.out.first(grads.size()), bucket, scale));
    return {};
  });
}

}  // namespace

MSJIT_OP(group_sum_gradients)
    .doc(
        "The sums of gradients over the members of a group of processes, times `scale`; then the "
        "number of the call. Gradients of one dtype are sent together, up to 4 MiB at a time.")
    .signature("gradients: Tensor[], where: str, group: int, scale: float")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(0)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
