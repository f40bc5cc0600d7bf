#include "kernels/cpu/in_place.h"

#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit::in_place {

Status infer_update(InferCtx& ctx) {
  const Meta &x = ctx.in(0), &value = ctx.in(1);
  MSJIT_TRY(Shape both, ctx.broadcast(value.shape, x.shape));
  if (!(both == x.shape))
    return value_error("[{}] cannot broadcast value, got shape {}, expected {}", ctx.name(),
                       value.shape.str(), x.shape.str());
  ctx.add_output(x.dtype, x.shape);
  return {};
}

Status combine(KernelCtx& ctx, const OpDef& op) {
  const Tensor& x = ctx.in[0];
  if (x.numel() == 0) return {};
  MSJIT_TRY(Tensor value, layout::cast_to(ctx.in[1], x.dtype()));
  MSJIT_TRY(Tensor source, layout::detached_from(value, x));
  Tensor result = x;
  if (!x.contiguous()) {
    MSJIT_TRY(result, Tensor::empty(x.dtype(), x.shape()));
  }
  const Tensor inputs[] = {x, source};
  const Attrs attrs{};
  KernelCtx inner{op, inputs, {&result, 1}, attrs};
  MSJIT_OK(op.host_kernel()(inner));
  if (!result.same(x)) copy_strided(result, x);
  return {};
}

Status infer_step(InferCtx& ctx, int num_states) {
  const Meta& param = ctx.in(0);
  MSJIT_OK(require_float(ctx, param, "param"));
  for (int i = 1; i <= num_states; ++i) {
    MSJIT_OK(require_dtype(ctx, ctx.in(i), param.dtype, "state"));
    MSJIT_OK(require_shape(ctx, ctx.in(i), param.shape, "state"));
  }
  MSJIT_OK(require_float(ctx, ctx.in(num_states + 1), "grad"));
  MSJIT_OK(require_shape(ctx, ctx.in(num_states + 1), param.shape, "grad"));
  if (const Meta& rate = ctx.in(num_states + 2); rate.shape.numel() != 1 || rate.shape.rank() > 1)
    return value_error("[{}] shape of lr, got {}, expected one number", ctx.name(),
                       rate.shape.str());
  ctx.add_output(param.dtype, param.shape);
  return {};
}

Result<Step> begin_step(KernelCtx& ctx, int num_states) {
  Step step;
  step.num_states = num_states;
  step.count = ctx.in[0].numel();
  for (int i = 0; i <= num_states; ++i) {
    if (i > 0) MSJIT_OK(layout::check_writable(ctx.op, ctx.in[i], "a state"));
    MSJIT_TRY(step.tensors[i], ctx.in[i].to_contiguous());
    if (!step.tensors[i].same(ctx.in[i])) step.targets[i] = ctx.in[i];
  }
  MSJIT_TRY(Tensor grad, layout::contiguous_as(ctx.in[num_states + 1], ctx.in[0].dtype()));
  // Element i of every tensor is read before it is written, so only a shifted overlap does harm.
  if (grad.data() != ctx.in[0].data()) {
    MSJIT_TRY(grad, layout::detached_from(grad, ctx.in[0]));
  }
  step.tensors[num_states + 1] = grad;
  MSJIT_TRY(Tensor rate, layout::contiguous_as(ctx.in[num_states + 2], DType::kFloat64));
  step.rate = *rate.data_as<double>();
  return step;
}

void end_step(KernelCtx& ctx, const Step& step) {
  for (int i = 0; i <= step.num_states; ++i) {
    if (step.targets[i]) copy_strided(step.tensors[i], step.targets[i]);
    if (i > 0) ctx.in[i].bump_version();
  }
}

Vals step_values(std::span<const Val> in) {
  const DType dtype = in[0].dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Vals values;
  for (const Val& value : in) values.push_back(words::cast(value, dtype));
  if (Val& rate = values.back(); rate.rank() > 0) rate = words::reshape(rate, {});
  return values;
}

}  // namespace msjit::in_place
