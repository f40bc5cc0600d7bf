#include "kernels/core/words.h"
#include "kernels/cpu/indexing.h"

namespace msjit {

extern const OpDef op_index, op_index_update, op_index_reduce;

using namespace words;

namespace {

Result<indexing::Combine> combine_of(const char* name, std::string_view how) {
  if (how == "mul") return indexing::Combine::kMul;
  if (how == "div") return indexing::Combine::kDiv;
  if (how == "max") return indexing::Combine::kMax;
  if (how == "min") return indexing::Combine::kMin;
  return value_error("[{}] how, got '{}', expected 'mul', 'div', 'max' or 'min'", name, how);
}

Status infer(InferCtx& ctx) {
  if (ctx.num_inputs() < 2)
    return value_error("[{}] too few tensors, got {}, expected at least 3", ctx.name(),
                       ctx.num_inputs());
  MSJIT_TRY([[maybe_unused]] const auto how, combine_of(ctx.name(), ctx.attrs[1].as_string()));
  MSJIT_TRY(Shape shape, indexing::infer_shape(ctx, ctx.in(0).shape, 2, ctx.attrs[0].as_list()));
  MSJIT_OK(indexing::check_value(ctx, ctx.in(0), ctx.in(1), shape));
  ctx.add_output(ctx.in(0).dtype, ctx.in(0).shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  MSJIT_TRY(const auto how, combine_of(ctx.op.name, ctx.attrs[1].as_string()));
  copy_strided(ctx.in[0], ctx.out[0]);
  return indexing::put_combined(ctx.op.name, ctx.out[0], ctx.in[1], ctx.in.subspan(2),
                                ctx.attrs[0].as_list(), how);
}

// Calls op(tensors...) with the indices of this call.
Val with_indices(Vjp& v, const OpDef& op, Vals args, const Attrs& attrs) {
  args.insert(args.end(), v.inputs.begin() + 2, v.inputs.end());
  return call_in(v.sink, op, args, attrs);
}

// Elements equal to the result share its gradient.
void extreme_vjp(Vjp& v) {
  const DType dtype = v.grad().dtype();
  const Val kept = cast(equal(v.in(0), v.out()), dtype);
  const Val at = with_indices(v, op_index, {v.out()}, {v.attrs[0]});
  const Val written = cast(equal(v.in(1), at), dtype);
  const Val count =
      with_indices(v, op_index_update, {kept, written}, {v.attrs[0], AttrValue(true)});
  const Val share = v.grad() / count;
  if (v.needs(0)) v.set_grad(0, share * kept);
  if (v.needs(1)) v.set_grad(1, with_indices(v, op_index, {share}, {v.attrs[0]}) * written);
}

void vjp(Vjp& v) {
  const std::string_view how = v.attrs[1].as_string();
  if (how == "max" || how == "min") return extreme_vjp(v);
  if (v.needs(0)) v.set_grad(0, with_indices(v, op_index_reduce, {v.grad(), v.in(1)}, v.attrs));
  if (!v.needs(1)) return;
  const Val slope = with_indices(v, op_index, {v.grad() * v.out()}, {v.attrs[0]}) / v.in(1);
  v.set_grad(1, how == "mul" ? slope : neg(slope));
}

}  // namespace

MSJIT_OP(index_reduce)
    .doc(
        "A copy of x with value, broadcast, combined into it at advanced indices: multiplied "
        "('mul'), divided by ('div'), or the greater ('max') or lesser ('min') element; tensors "
        "holds x, value and one index for each named axis.")
    .signature("tensors: Tensor[], axes: int[], how: str")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 4}, {2, 4}, {2}},
             .low_high = {0.5, 2.5},
             .attrs = "axes=[0], how=\"mul\"",
             .dtypes = {"float32", "float32", "int64"}})
    .sample({.shapes = {{3, 4}, {2, 4}, {2}},
             .low_high = {0.5, 2.5},
             .attrs = "axes=[0], how=\"max\"",
             .dtypes = {"float32", "float32", "int64"}});

}  // namespace msjit
