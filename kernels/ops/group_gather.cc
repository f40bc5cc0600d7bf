#include "kernels/cpu/layout.h"
#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kGroup, kSize, kRank, kRoot };

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  const bool here = ctx.attrs[kRank].as_int() == ctx.attrs[kRoot].as_int();
  const int64_t size = ctx.attrs[kSize].as_int();
  MSJIT_OK(require_between(ctx, x.shape.rank(), 1, kMaxRank, "number of axes"));
  MSJIT_OK(require_between(ctx, size, 1, kMostMembers, "size"));
  Shape shape = here ? x.shape : Shape{1};
  if (here) shape[0] *= size;
  return add_result(ctx, x, shape);
}

Status kernel(KernelCtx& ctx) {
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const auto root = static_cast<int>(ctx.attrs[kRoot].as_int());
  const Meta& x = ctx.in[0].meta();
  const CallText text{ctx.attrs[kWhere].as_string(), dtype_name(x.dtype),
                      fmt::format("{}, to rank {}", tensor_text(x), root)};
  return make_call(ctx, group, text, ctx.in[1], [&](std::span<const Tensor> in) {
    if (ctx.attrs[kRank].as_int() != root) layout::fill_zero(ctx.out[0]);
    return gather(group, in[0], ctx.out[0], root);
  });
}

}  // namespace

MSJIT_OP(group_gather)
    .doc(
        "(the inputs of the `size` members of a group of processes, one behind the other, on the "
        "member `root`, and one zero elsewhere; the number of the call).")
    .signature("x: Tensor, call: Tensor?, where: str, group: int, size: int, rank: int, root: int")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
