#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kGroup, kRank, kRoot };

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  return add_result(ctx, x, x.shape);
}

Status kernel(KernelCtx& ctx) {
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const int64_t root = ctx.attrs[kRoot].as_int();
  const bool here = ctx.attrs[kRank].as_int() == root;
  const Meta& x = ctx.in[0].meta();
  const CallText text{ctx.attrs[kWhere].as_string(), dtype_name(x.dtype),
                      fmt::format("{}, from rank {}", tensor_text(x), root)};
  return make_call(ctx, group, text, ctx.in[1], [&](std::span<const Tensor> in) -> Status {
    if (here) copy_strided(in[0], ctx.out[0]);
    return broadcast(group, ctx.out[0], static_cast<int>(root));
  });
}

}  // namespace

MSJIT_OP(group_broadcast)
    .doc(
        "(the input of the member `root` of a group of processes; the number of the call). `rank`: "
        "this member's number.")
    .signature("x: Tensor, call: Tensor?, where: str, group: int, rank: int, root: int")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
