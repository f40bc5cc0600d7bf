#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/moves.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  if (ctx.num_inputs() == 0)
    return value_error("[{}] no tensors, got 0, expected at least 1", ctx.name());
  Meta out = ctx.in(0);
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[0].as_int(), out.shape.rank()));
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const Meta& part = ctx.in(i);
    MSJIT_OK(require_rank(ctx, part, out.shape.rank(), "every tensor"));
    for (int d = 0; d < out.shape.rank(); ++d)
      if (d != axis)
        MSJIT_OK(ctx.require_eq(out.shape[d], part.shape[d], "sizes of the other axes"));
    out.shape[axis] += part.shape[axis];
    out.dtype = promote(out.dtype, out.weak, part.dtype, part.weak);
    out.weak &= part.weak;
  }
  if (checked_numel(out.shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), out.shape.str());
  ctx.add_output(out.dtype, out.shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  int axis = normal_axis(ctx.attrs[0].as_int(), out.rank());
  int64_t begin = 0;
  for (const Tensor& part : ctx.in) {
    int64_t size = part.dim(axis);
    if (part.numel() > 0) {
      MSJIT_TRY(Tensor source, layout::cast_to(part, out.dtype()));
      copy_strided(source, layout::slice_axis(out, axis, begin, size));
    }
    begin += size;
  }
  return {};
}

void vjp(Vjp& v) {
  const Shape& out = v.out().shape();
  int axis = normal_axis(v.attrs[0].as_int(), out.rank());
  IntList begin, end, step;
  for (int i = 0; i <= axis; ++i) {
    begin.push_back(0);
    end.push_back(i < axis ? out[i] : 0);
    step.push_back(1);
  }
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    end[axis] = begin[axis] + v.inputs[i].shape()[axis];
    int k = static_cast<int>(i);
    if (v.needs(k)) v.set_grad(k, words::slice(v.grad(), begin, end, step));
    begin[axis] = end[axis];
  }
}

}  // namespace

MSJIT_OP(concat)
    .doc("Joins tensors along an existing axis.")
    .traits(kComplex | kTotal)
    .signature("tensors: Tensor[], axis: int = 0")
    .numpy("np.concatenate(tensors, axis)")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Tensor& out = ctx.out[0];
      const int axis = normal_axis(ctx.attrs[0].as_int(), out.rank());
      int64_t begin = 0;
      for (const Tensor& part : ctx.in) {
        const int64_t size = part.dim(axis);
        MSJIT_TRY(const Tensor source, devices::cast_to(part, out.dtype()));
        if (part.numel() > 0)
          MSJIT_OK(copy_elements(source, layout::slice_axis(out, axis, begin, size)));
        begin += size;
      }
      return {};
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 3}, {1, 3}}})
    .sample({.shapes = {{2, 3}, {2, 0}, {2, 2}}, .attrs = "axis=-1"})
    .sample({.shapes = {{2}, {3}}, .dtypes = {"int32", "float32"}, .check_grad = false});

}  // namespace msjit
