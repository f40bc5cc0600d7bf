#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_roll;

namespace {

Status infer(InferCtx& ctx) {
  const IntList &shifts = ctx.attrs[0].as_list(), &axes = ctx.attrs[1].as_list();
  if (shifts.size() != axes.size())
    return value_error("[{}] shifts and axis must have one length, got {} and {}", ctx.name(),
                       shifts.size(), axes.size());
  for (int64_t a : axes) {
    MSJIT_TRY([[maybe_unused]] int axis, axis_of(ctx, a, ctx.in(0).shape.rank()));
  }
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

// Shifts of one axis add up; a shift is reduced to [0, size).
Status kernel(KernelCtx& ctx) {
  const Tensor &x = ctx.in[0], &out = ctx.out[0];
  if (x.numel() == 0) return {};
  Shape shift;
  for (int i = 0; i < x.rank(); ++i) shift.push_back(0);
  const IntList &shifts = ctx.attrs[0].as_list(), &axes = ctx.attrs[1].as_list();
  for (uint32_t i = 0; i < axes.size(); ++i) {
    int axis = normal_axis(axes[i], x.rank());
    Dim size = x.dim(axis);
    shift[axis] = ((shift[axis] + shifts[i] % size) % size + size) % size;
  }
  // Each axis is split in two parts; a corner says for every axis which of them is moved.
  for (uint32_t corner = 0; corner < 1u << x.rank(); ++corner) {
    Tensor from = x, to = out;
    for (int i = 0; i < x.rank(); ++i) {
      Dim size = x.dim(i), wrapped = shift[i];
      bool second = corner >> i & 1;
      Dim count = second ? wrapped : size - wrapped;
      from = layout::slice_axis(from, i, second ? size - wrapped : 0, count);
      to = layout::slice_axis(to, i, second ? 0 : wrapped, count);
    }
    if (from.numel() > 0) copy_strided(from, to);
  }
  return {};
}

void vjp(Vjp& v) {
  IntList back = v.attrs[0].as_list();
  for (int64_t& shift : back) shift = -shift;
  v.set_grad(0, call(op_roll, {v.grad()}, {AttrValue(back), v.attrs[1]}));
}

}  // namespace

MSJIT_OP(roll)
    .doc("Moves elements along axes; what leaves at one end enters at the other.")
    .traits(kComplex)
    .signature("x: Tensor, shifts: int[], axis: int[]")
    .numpy("np.roll(x, shifts, axis)")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 4}}, .attrs = "shifts=[1, -1], axis=[0, 1]"})
    .sample({.shapes = {{5}}, .attrs = "shifts=[7], axis=[-1]"});

}  // namespace msjit
