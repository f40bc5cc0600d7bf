#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/indexing.h"
#include "kernels/device/indexing.h"

namespace msjit {

extern const OpDef op_gather_elements, op_scatter_elements;

namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  MSJIT_OK(indexing::check_along_axis(ctx, x, ctx.in(1), axis));
  MSJIT_OK(indexing::check_value(ctx, ctx.in(0), ctx.in(2), ctx.in(1).shape));
  std::string_view reduction = ctx.attrs[1].as_string();
  if (reduction != "none" && reduction != "add")
    return value_error("[{}] unknown reduction, got '{}', expected 'none' or 'add'", ctx.name(),
                       reduction);
  ctx.add_output(x.dtype, x.shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  copy_strided(ctx.in[0], ctx.out[0]);
  return indexing::put_along_axis(ctx.op.name, ctx.out[0], ctx.in[1], ctx.in[2],
                                  normal_axis(ctx.attrs[0].as_int(), ctx.out[0].rank()),
                                  ctx.attrs[1].as_string() == "add");
}

void vjp(Vjp& v) {
  bool add = v.attrs[1].as_string() == "add";
  if (v.needs(0)) {
    Val zero = words::number(v.sink, 0, v.grad().dtype());
    Val kept = add ? v.grad() : call(op_scatter_elements, {v.grad(), v.in(1), zero}, v.attrs);
    v.set_grad(0, kept);
  }
  if (v.needs(2)) v.set_grad(2, call(op_gather_elements, {v.grad(), v.in(1)}, {v.attrs[0]}));
}

}  // namespace

MSJIT_OP(scatter_elements)
    .doc(
        "A copy of x with updates written (reduction 'none') or added ('add') at "
        "[indices[i][j]][j] for axis 0, and so on.")
    .traits(kComplex)
    .signature(
        "x: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, reduction: str = \"none\"")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_OK(copy_elements(ctx.in[0], ctx.out[0]));
      return devices::put_along_axis(ctx.op.name, ctx.out[0], ctx.in[1], ctx.in[2],
                                     normal_axis(ctx.attrs[0].as_int(), ctx.out[0].rank()),
                                     ctx.attrs[1].as_string() == "add");
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 2}, {4, 2}, {4, 2}},
             .low_high = {0, 2},
             .attrs = "reduction=\"add\"",
             .dtypes = {"float32", "int64", "float32"}});

}  // namespace msjit
