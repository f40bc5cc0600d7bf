#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kSaid, kDType, kGroup, kReduction };

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_between(ctx, ctx.attrs[kReduction].as_int(), 0, kLastReduction, "op"));
  return add_result(ctx, x, x.shape);
}

Status kernel(KernelCtx& ctx) {
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const auto op = static_cast<Reduction>(ctx.attrs[kReduction].as_int());
  const DType said = ctx.attrs[kDType].as_dtype();
  const CallText text{ctx.attrs[kWhere].as_string(), dtype_name(said),
                      fmt::format("{}, {}", tensor_text({said, false, ctx.in[0].shape()}),
                                  ctx.attrs[kSaid].as_string())};
  return make_call(ctx, group, text, ctx.in[1], [&](std::span<const Tensor> in) {
    return all_reduce(group, in[0], ctx.out[0], op);
  });
}

}  // namespace

MSJIT_OP(group_all_reduce)
    .doc(
        "(the elements of all members of a group of processes, reduced; the number of the call). "
        "`said` and `said_dtype`: what the members compare beside the shape.")
    .signature(
        "x: Tensor, call: Tensor?, where: str, said: str, said_dtype: dtype, group: int, op: int")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
