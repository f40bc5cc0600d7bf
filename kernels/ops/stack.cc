#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/moves.h"

namespace msjit {

extern const OpDef op_select_index;

namespace {

Status infer(InferCtx& ctx) {
  if (ctx.num_inputs() == 0)
    return value_error("[{}] no tensors, got 0, expected at least 1", ctx.name());
  Meta out = ctx.in(0);
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    MSJIT_OK(require_shape(ctx, ctx.in(i), out.shape, "shapes"));
    out.dtype = promote(out.dtype, out.weak, ctx.in(i).dtype, ctx.in(i).weak);
    out.weak &= ctx.in(i).weak;
  }
  if (out.shape.rank() == kMaxRank)
    return value_error("[{}] too many dimensions, got {}, expected at most {}", ctx.name(),
                       kMaxRank + 1, kMaxRank);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[0].as_int(), out.shape.rank() + 1));
  out.shape.insert(axis, ctx.num_inputs());
  if (checked_numel(out.shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), out.shape.str());
  ctx.add_output(out.dtype, out.shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (out.numel() == 0) return {};
  int axis = normal_axis(ctx.attrs[0].as_int(), out.rank());
  Shape strides = out.strides();
  int64_t step = strides[axis];
  strides.erase(axis);
  for (size_t i = 0; i < ctx.in.size(); ++i) {
    MSJIT_TRY(Tensor source, layout::cast_to(ctx.in[i], out.dtype()));
    copy_strided(source,
                 Tensor::view(out, source.shape(), strides, static_cast<int64_t>(i) * step));
  }
  return {};
}

void vjp(Vjp& v) {
  for (int i = 0; i < static_cast<int>(v.inputs.size()); ++i)
    if (v.needs(i)) v.set_grad(i, call(op_select_index, {v.grad()}, {AttrValue(i), v.attrs[0]}));
}

}  // namespace

MSJIT_OP(stack)
    .doc("Joins tensors of one shape along a new axis.")
    .traits(kComplex | kTotal)
    .signature("tensors: Tensor[], axis: int = 0")
    .numpy("np.stack(tensors, axis)")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Tensor& out = ctx.out[0];
      if (out.numel() == 0) return {};
      const int axis = normal_axis(ctx.attrs[0].as_int(), out.rank());
      for (size_t i = 0; i < ctx.in.size(); ++i) {
        MSJIT_TRY(const Tensor part, devices::to_device(ctx.in[i], out.device()));
        MSJIT_TRY(const Tensor source, devices::cast_to(part, out.dtype()));
        const Tensor slot = layout::slice_axis(out, axis, static_cast<int64_t>(i), 1);
        Shape shape = slot.shape(), strides = slot.strides();
        shape.erase(axis);
        strides.erase(axis);
        MSJIT_OK(copy_elements(source, Tensor::view(slot, shape, strides, 0)));
      }
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 3}, {2, 3}}})
    .sample({.shapes = {{2, 3}, {2, 3}, {2, 3}}, .attrs = "axis=-1"})
    .sample({.shapes = {{}, {}}});

}  // namespace msjit
