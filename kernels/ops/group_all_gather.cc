#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kGroup, kSize, kRows };

// The rows of a member: those that `rows` says, or as many as this one has.
int64_t rows_of(const Attrs& attrs, int64_t own, int member) {
  const IntList& rows = attrs[kRows].as_list();
  return rows.empty() ? own : rows[static_cast<uint32_t>(member)];
}

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  const int64_t size = ctx.attrs[kSize].as_int();
  const auto parts = static_cast<int64_t>(ctx.attrs[kRows].as_list().size());
  MSJIT_OK(require_between(ctx, x.shape.rank(), 1, kMaxRank, "number of axes"));
  MSJIT_OK(require_between(ctx, size, 1, kMostMembers, "size"));
  MSJIT_OK(require_counts(ctx, ctx.attrs[kRows], "rows"));
  if (parts) MSJIT_OK(require_between(ctx, parts, size, size, "number of rows"));
  Shape shape = x.shape;
  shape[0] = 0;
  for (int i = 0; i < size; ++i) shape[0] += rows_of(ctx.attrs, x.shape[0], i);
  return add_result(ctx, x, shape);
}

CallText text_of(const Tensor& x, const Attrs& attrs) {
  CallText text{attrs[kWhere].as_string(), dtype_name(x.dtype()), {}};
  if (attrs[kRows].as_list().empty()) return text.details = tensor_text(x.meta()), text;
  Shape row = x.shape();
  row.erase(0);
  text.details =
      fmt::format("{}, rows {} of {}", dtype_name(x.dtype()), attrs[kRows].str(), row.str());
  return text;
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  std::vector<int64_t> counts;
  for (int i = 0; i < ctx.attrs[kSize].as_int(); ++i) {
    int64_t count = rows_of(ctx.attrs, x.dim(0), i);
    for (int d = 1; d < x.rank(); ++d) count *= x.dim(d);
    counts.push_back(count);
  }
  return make_call(ctx, group, text_of(x, ctx.attrs), ctx.in[1], [&](std::span<const Tensor> in) {
    return all_gather(group, in[0], ctx.out[0], counts);
  });
}

}  // namespace

MSJIT_OP(group_all_gather)
    .doc(
        "(the inputs of the `size` members of a group of processes, one behind the other; the "
        "number of the call). `rows`: those of each member; by default all have as many.")
    .signature("x: Tensor, call: Tensor?, where: str, group: int, size: int, rows: int[] = []")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
