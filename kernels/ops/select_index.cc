#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_slice_grad;

namespace {

Status infer(InferCtx& ctx) {
  Shape shape = ctx.in(0).shape;
  MSJIT_TRY(int axis, axis_of(ctx, ctx.attrs[1].as_int(), shape.rank()));
  int64_t index = ctx.attrs[0].as_int();
  if (index < -shape[axis] || index >= shape[axis])
    return index_error("[{}] index {} is out of bounds for axis {} with size {}", ctx.name(), index,
                       axis, shape[axis]);
  shape.erase(axis);
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  int axis = normal_axis(ctx.attrs[1].as_int(), x.rank());
  int64_t index = ctx.attrs[0].as_int();
  if (index < 0) index += x.dim(axis);
  Shape shape = x.shape(), strides = x.strides();
  int64_t offset = index * strides[axis];
  shape.erase(axis);
  strides.erase(axis);
  ctx.out[0] = Tensor::view(x, shape, strides, shape.numel() ? offset : 0);
  return {};
}

void vjp(Vjp& v) {
  const Shape& x = v.in(0).shape();
  int axis = normal_axis(v.attrs[1].as_int(), x.rank());
  int64_t index = v.attrs[0].as_int();
  if (index < 0) index += x[axis];
  IntList begin, end, step;
  begin.resize(axis, 0);
  begin.push_back(index);
  for (int i = 0; i < axis; ++i) end.push_back(x[i]);
  end.push_back(index + 1);
  step.resize(axis + 1, 1);
  Attrs attrs{AttrValue(layout::as_list(x)), AttrValue(begin), AttrValue(end), AttrValue(step)};
  v.set_grad(0, call(op_slice_grad, {words::expand_dims(v.grad(), axis)}, attrs));
}

}  // namespace

MSJIT_OP(select_index)
    .doc("Element `index` along `axis`, which is dropped. A view.")
    .traits(kComplex)
    .signature("x: Tensor, index: int, axis: int = 0")
    .numpy("np.take(x, index, axis)")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 4}}, .attrs = "index=1"})
    .sample({.shapes = {{3, 4}}, .attrs = "index=-1, axis=1"});

}  // namespace msjit
