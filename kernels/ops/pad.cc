#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/moves.h"

namespace msjit {

namespace {

Status infer(InferCtx& ctx) {
  Shape shape = ctx.in(0).shape;
  const IntList &befores = ctx.attrs[0].as_list(), &afters = ctx.attrs[1].as_list();
  size_t rank = static_cast<size_t>(shape.rank());
  if (befores.size() != rank || afters.size() != rank)
    return value_error("[{}] before and after have a wrong length, got {} and {}, expected {}",
                       ctx.name(), befores.size(), afters.size(), rank);
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t before = befores[i], after = afters[i];
    if (before < 0 || after < 0)
      return value_error("[{}] padding must not be negative, got {} and {}", ctx.name(),
                         ctx.attrs[0].str(), ctx.attrs[1].str());
    if (__builtin_add_overflow(shape[i], before, &shape[i]) ||
        __builtin_add_overflow(shape[i], after, &shape[i]))
      shape[i] = INT64_MAX;
  }
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor &x = ctx.in[0], &out = ctx.out[0];
  if (out.numel() == 0) return {};
  const AttrValue& value = ctx.attrs[2];
  if (value.as_float() == 0) {
    layout::fill_zero(out);
  } else {
    Tensor fill = Tensor::scalar_of(out.dtype(), value.as_float());
    copy_strided(layout::broadcast(fill, out.shape()), out);
  }
  if (x.numel() == 0) return {};
  Tensor slot = out;
  for (int i = 0; i < x.rank(); ++i)
    slot = layout::slice_axis(slot, i, ctx.attrs[0].as_list()[i], x.dim(i));
  copy_strided(x, slot);
  return {};
}

void vjp(Vjp& v) {
  const Shape& x = v.in(0).shape();
  IntList begin, end, step;
  for (int i = 0; i < x.rank(); ++i) {
    begin.push_back(v.attrs[0].as_list()[i]);
    end.push_back(begin[i] + x[i]);
    step.push_back(1);
  }
  v.set_grad(0, words::slice(v.grad(), begin, end, step));
}

}  // namespace

MSJIT_OP(pad)
    .doc("Adds before[i] elements in front and after[i] behind along axis i, filled with a value.")
    .traits(kComplex | kTotal)
    .signature("x: Tensor, before: int[], after: int[], value: number = 0")
    .numpy("np.pad(x, list(zip(before, after)), constant_values=value)")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      const Tensor &x = ctx.in[0], &out = ctx.out[0];
      MSJIT_OK(devices::fill(out, ctx.attrs[2]));
      if (x.numel() == 0) return {};
      Tensor slot = out;
      for (int i = 0; i < x.rank(); ++i)
        slot = layout::slice_axis(slot, i, ctx.attrs[0].as_list()[i], x.dim(i));
      return copy_elements(x, slot);
    })
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}, .attrs = "before=[1, 0], after=[0, 2]"})
    .sample({.shapes = {{3}}, .attrs = "before=[2], after=[1], value=1.5"})
    .sample({.shapes = {{0}}, .attrs = "before=[1], after=[1], value=3"});

}  // namespace msjit
