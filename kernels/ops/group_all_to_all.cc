#include <algorithm>
#include <numeric>

#include "kernels/processes/call_checks.h"
#include "kernels/processes/collectives.h"

namespace msjit {
namespace {

enum Attr { kWhere, kGroup, kSent, kReceived };

using Counts = std::vector<int64_t>;

Counts counts_of(const AttrValue& list) { return {list.as_list().begin(), list.as_list().end()}; }

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_counts(ctx, ctx.attrs[kSent], "sent"));
  MSJIT_OK(require_counts(ctx, ctx.attrs[kReceived], "received"));
  const Counts received = counts_of(ctx.attrs[kReceived]);
  const int64_t count = std::accumulate(received.begin(), received.end(), int64_t{0});
  return add_result(ctx, x, Shape{count});
}

// Each member must send as much as the receiver expects. If one does not, all get an error.
Status check_counts(int group, std::string_view where, const Counts& sent, const Counts& received) {
  MSJIT_TRY(const ProcessGroup g, process_group(group));
  const Dim size = g.size;
  for (const Counts* counts : {&sent, &received})
    if (static_cast<Dim>(counts->size()) != size)
      return value_error("[{}] counts, got {} of them, expected {}", where, counts->size(), size);
  MSJIT_TRY(const Tensor own, Tensor::empty({DType::kInt64, false, Shape{size}}));
  MSJIT_TRY(const Tensor table, Tensor::empty({DType::kInt64, false, Shape{size, size}}));
  std::ranges::copy(sent, own.data_as<int64_t>());
  MSJIT_OK(all_gather(group, own, table, Counts(static_cast<size_t>(size), size)));
  std::string found;
  for (int source = 0; source < g.size && found.empty(); ++source) {
    const int64_t count = table.data_as<int64_t>()[source * size + g.rank];
    const int64_t expected = received[static_cast<size_t>(source)];
    if (count != expected)
      found = fmt::format(": rank {} sends {} elements to rank {}, which expects {}",
                          g.ranks[static_cast<size_t>(source)], count,
                          g.ranks[static_cast<size_t>(g.rank)], expected);
  }
  MSJIT_TRY(const bool same, agree(group, found.empty() ? 1 : 0));
  if (same && found.empty()) return {};
  return value_error(
      "[{}] sizes of the parts, got some that differ between sender and receiver{}, expected equal "
      "ones",
      where, found.empty() ? " on another rank" : found);
}

Status kernel(KernelCtx& ctx) {
  const auto group = static_cast<int>(ctx.attrs[kGroup].as_int());
  const Counts sent = counts_of(ctx.attrs[kSent]), received = counts_of(ctx.attrs[kReceived]);
  const CallText text{
      ctx.attrs[kWhere].as_string(), {}, std::string(dtype_name(ctx.in[0].dtype()))};
  return make_call(ctx, group, text, ctx.in[1], [&](std::span<const Tensor> in) -> Status {
    MSJIT_OK(check_counts(group, text.where, sent, received));
    return all_to_all(group, in[0], ctx.out[0], sent, received);
  });
}

}  // namespace

MSJIT_OP(group_all_to_all)
    .doc(
        "(a flat tensor with `received[i]` elements of each member i of a group of processes, "
        "which "
        "gets `sent[i]` of the input; the number of the call).")
    .signature("x: Tensor, call: Tensor?, where: str, group: int, sent: int[], received: int[]")
    .impure()
    .traits(kCollective | kComplex)
    .outputs(2)
    .infer(infer)
    .cpu(kernel)
    .no_grad();

}  // namespace msjit
