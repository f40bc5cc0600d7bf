#include <algorithm>
#include <utility>

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

// The dtypes of the gradients, in the order in which they come.
template <class DTypeAt>
std::vector<DType> dtypes_of(const DTypeAt& dtype_at, int count) {
  std::vector<DType> found;
  for (int i = 0; i < count; ++i)
    if (std::ranges::find(found, dtype_at(i)) == found.end()) found.push_back(dtype_at(i));
  return found;
}

Status scale_in_place(const Tensor& values, double scale) {
  if (scale == 1) return {};
  const Tensor in[] = {values, Tensor::scalar<double>(scale, true)};
  if (is_float(values.dtype())) {
    Tensor out[] = {values};
    KernelCtx ctx{op_mul, in, out, {}};
    return op_mul.host_kernel()(ctx);
  }
  TensorVec product;
  MSJIT_OK(run_op_untracked(op_mul, in, {}, &product));
  MSJIT_TRY(const Tensor converted, layout::cast_to(product[0], values.dtype()));
  copy_strided(converted, values);
  return {};
}

Tensor part_of(const Tensor& flat, int64_t from, const Shape& shape) {
  return Tensor::view(flat, shape, contiguous_strides(shape), from);
}

// Writes the sums of these gradients to `flat`, one behind the other. Sent in one message, 16-bit
// floats as float32.
Status sum_bucket(int group, std::span<const Tensor> grads, const Tensor& flat, double scale) {
  const bool half = flat.dtype() == DType::kFloat16 || flat.dtype() == DType::kBFloat16;
  if (grads.size() == 1 && !half) {
    MSJIT_OK(all_reduce(group, grads[0], part_of(flat, 0, grads[0].shape()), Reduction::kSum));
    return scale_in_place(flat, scale);
  }
  Tensor sent = flat;
  if (half) {
    MSJIT_TRY(sent, Tensor::empty({DType::kFloat32, false, flat.shape()}));
  }
  int64_t at = 0;
  for (const Tensor& grad : grads) {
    MSJIT_TRY(const Tensor converted, layout::cast_to(grad, sent.dtype()));
    copy_strided(converted, part_of(sent, std::exchange(at, at + grad.numel()), grad.shape()));
  }
  MSJIT_OK(all_reduce(group, sent, sent, Reduction::kSum));
  MSJIT_OK(scale_in_place(sent, scale));
  if (!half) return {};
  MSJIT_TRY(const Tensor converted, layout::cast_to(sent, flat.dtype()));
  copy_strided(converted, flat);
  return {};
}

// The gradients of one dtype, in buckets. Every member makes the same ones, because the dtypes and
// shapes are the same.
Status sum_all(int group, std::span<const Tensor> grads, const Tensor& flat, double scale) {
  size_t first = 0;
  int64_t begin = 0, end = 0;
  const auto send = [&](size_t last) -> Status {
    if (first == last) return {};
    const Tensor part = part_of(flat, begin, Shape{end - begin});
    MSJIT_OK(sum_bucket(group, grads.subspan(first, last - first), part, scale));
    first = last;
    begin = end;
    return {};
  };
  for (size_t i = 0; i < grads.size(); ++i) {
    const int64_t filled = (end - begin) * item_size(flat.dtype());
    if (filled + grads[i].nbytes() > kBucket) MSJIT_OK(send(i));
    end += grads[i].numel();
  }
  return send(grads.size());
}

Status infer(InferCtx& ctx) {
  const auto dtype = [&](int i) { return ctx.in(i).dtype; };
  for (int i = 0; i < ctx.num_inputs(); ++i) MSJIT_OK(require_host(ctx.in(i)));
  for (const DType of : dtypes_of(dtype, ctx.num_inputs())) {
    Dim count = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i)
      if (dtype(i) == of) count += ctx.in(i).shape.numel();
    ctx.add_output(of, Shape{count});
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
    text.details += fmt::format("{}{}", text.details.empty() ? "" : ", ", tensor_text(grad.meta()));
  }
  return make_call(ctx, group, text, {}, [&](std::span<const Tensor> grads) -> Status {
    for (const Tensor& flat : ctx.out.first(ctx.out.size() - 1)) {
      std::vector<Tensor> own;
      for (const Tensor& grad : grads)
        if (grad.dtype() == flat.dtype()) own.push_back(grad);
      MSJIT_OK(sum_all(group, own, flat, scale));
    }
    return {};
  });
}

}  // namespace

MSJIT_OP(group_sum_gradients)
    .doc(
        "The sums of gradients over the members of a group of processes, times `scale`: for each "
        "dtype, in the order in which they come, its gradients in one flat tensor; then the number "
        "of the call. Gradients of one dtype are sent together, up to 4 MiB at a time.")
    .signature("gradients: Tensor[], where: str, group: int, scale: float")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(0)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
