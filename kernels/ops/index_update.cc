#include "kernels/core/words.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/indexing.h"

namespace msjit {

extern const OpDef op_index, op_index_update;

namespace {

Status infer(InferCtx& ctx) {
  if (ctx.num_inputs() < 2)
    return value_error("[{}] too few tensors, got {}, expected at least 3", ctx.name(),
                       ctx.num_inputs());
  MSJIT_TRY(Shape shape, indexing::infer_shape(ctx, ctx.in(0).shape, 2, ctx.attrs[0].as_list()));
  MSJIT_OK(indexing::check_value(ctx, ctx.in(0), ctx.in(1), shape));
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  if (ctx.in[0].data() != ctx.out[0].data()) copy_strided(ctx.in[0], ctx.out[0]);
  InlineVec<Tensor, 4> others;  // the value and the indices
  for (const Tensor& t : ctx.in.subspan(1)) {
    MSJIT_TRY(Tensor other, layout::detached_from(t, ctx.out[0]));
    others.push_back(std::move(other));
  }
  const std::span<const Tensor> given(others.data(), others.size());
  return indexing::put(ctx.op.name, ctx.out[0], given[0], given.subspan(1), ctx.attrs[0].as_list(),
                       ctx.attrs[1].as_bool());
}

// When a later value overwrites an earlier one at a repeated index, both get its gradient.
void vjp(Vjp& v) {
  bool accumulate = v.attrs[1].as_bool();
  Vals args{v.grad()};
  if (v.needs(0) && !accumulate) args.push_back(words::number(v.sink, 0, v.grad().dtype()));
  args.insert(args.end(), v.inputs.begin() + 2, v.inputs.end());
  if (v.needs(0))
    v.set_grad(0, accumulate ? v.grad() : call_in(v.sink, op_index_update, args, v.attrs));
  if (v.needs(0) && !accumulate) args.erase(args.begin() + 1);
  if (v.needs(1)) v.set_grad(1, call_in(v.sink, op_index, args, {v.attrs[0]}));
}

}  // namespace

MSJIT_OP(index_update)
    .doc(
        "A copy of x with value, broadcast, written (or added) at advanced indices: tensors holds "
        "x, value and one index for each named axis.")
    .traits(kComplex | kUpdates)
    .signature("tensors: Tensor[], axes: int[], accumulate: bool = False")
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) -> Status {
      MSJIT_OK(copy_elements(ctx.in[0], ctx.out[0]));
      return devices::put(ctx.op.name, ctx.out[0], ctx.in[1], ctx.in.subspan(2),
                          ctx.attrs[0].as_list(), ctx.attrs[1].as_bool());
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 4}, {2, 4}, {2}},
             .low_high = {0, 2},
             .attrs = "axes=[0], accumulate=True",
             .dtypes = {"float32", "float32", "int64"}});

}  // namespace msjit
