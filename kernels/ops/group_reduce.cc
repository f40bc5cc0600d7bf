#include "kernels/cpu/layout.h"
#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kSaid, kDType, kGroup, kReduction, kRank, kRoot };

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  const bool here = ctx.attrs[kRank].as_int() == ctx.attrs[kRoot].as_int();
  MSJIT_OK(require_between(ctx, ctx.attrs[kReduction].as_int(), 0, kLastReduction, "op"));
  return add_result(ctx, x, here ? x.shape : Shape{1});
}

Status kernel(KernelCtx& ctx) {
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const auto op = static_cast<Reduction>(ctx.attrs[kReduction].as_int());
  const auto root = static_cast<int>(ctx.attrs[kRoot].as_int());
  const DType said = ctx.attrs[kDType].as_dtype();
  const CallText text{
      ctx.attrs[kWhere].as_string(), dtype_name(said),
      fmt::format("{}, {}, to rank {}", tensor_text({said, false, ctx.in[0].shape()}),
                  ctx.attrs[kSaid].as_string(), root)};
  return make_call(ctx, group, text, {}, [&](std::span<const Tensor> in) {
    if (ctx.attrs[kRank].as_int() != root) layout::fill_zero(ctx.out[0]);
    return reduce(group, in[0], ctx.out[0], op, root);
  });
}

}  // namespace

MSJIT_OP(group_reduce)
    .doc(
        "(the elements of all members of a group of processes, reduced, on the member `root`, and "
        "one zero elsewhere; the number of the call). `said`, `said_dtype`: as for "
        "group_all_reduce.")
    .signature(
        "x: Tensor, where: str, said: str, said_dtype: dtype, group: int, op: int, rank: int, "
        "root: int")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
