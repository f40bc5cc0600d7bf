#include "kernels/processes/calls.h"
#include "kernels/processes/collectives.h"

namespace msjit {

MSJIT_OP(group_barrier)
    .doc("Waits for all members of a group of processes; gives the number of the call.")
    .signature("where: str, group: int")
    .impure()
    .traits(kCollective)
    .infer([](InferCtx& ctx) -> Status {
      ctx.add_output(DType::kInt64, Shape{});
      return {};
    })
    .cpu([](KernelCtx& ctx) -> Status {
      const auto group = static_cast<int>(ctx.attrs[1].as_int());
      return make_call(ctx, group, {ctx.attrs[0].as_string(), "", ""}, {},
                       [&](std::span<const Tensor>) { return barrier(group); });
    })
    .no_grad();

}  // namespace msjit
