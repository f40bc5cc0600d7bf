#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kSaid, kDType, kGroup, kReduction, kRank, kRows };

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  const IntList& rows = ctx.attrs[kRows].as_list();
  const int64_t rank = ctx.attrs[kRank].as_int();
  MSJIT_OK(require_between(ctx, x.shape.rank(), 1, kMaxRank, "number of axes"));
  MSJIT_OK(require_between(ctx, ctx.attrs[kReduction].as_int(), 0, kLastReduction, "op"));
  MSJIT_OK(require_counts(ctx, ctx.attrs[kRows], "rows"));
  MSJIT_OK(require_between(ctx, rank, 0, static_cast<int64_t>(rows.size()) - 1, "rank"));
  Shape shape = x.shape;
  shape[0] = rows[static_cast<uint32_t>(rank)];
  return add_result(ctx, x, shape);
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const auto op = static_cast<Reduction>(ctx.attrs[kReduction].as_int());
  const DType said = ctx.attrs[kDType].as_dtype();
  const CallText text{ctx.attrs[kWhere].as_string(), dtype_name(said),
                      fmt::format("{}, {}, rows {}", tensor_text({said, false, x.shape()}),
                                  ctx.attrs[kSaid].as_string(), ctx.attrs[kRows].str())};
  std::vector<int64_t> counts;
  for (int64_t count : ctx.attrs[kRows].as_list()) {
    for (int d = 1; d < x.rank(); ++d) count *= x.dim(d);
    counts.push_back(count);
  }
  return make_call(ctx, group, text, ctx.in[1], [&](std::span<const Tensor> in) {
    return reduce_scatter(group, in[0], ctx.out[0], op, counts);
  });
}

}  // namespace

MSJIT_OP(group_reduce_scatter)
    .doc(
        "(this member's rows of the reduced inputs of a group of processes; the number of the "
        "call). `rows`: those of each member. `said` and `said_dtype`: as for group_all_reduce.")
    .signature(
        "x: Tensor, call: Tensor?, where: str, said: str, said_dtype: dtype, group: int, op: int, "
        "rank: int, rows: int[]")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
