#include "kernels/core/op.h"
#include "kernels/core/random.h"

namespace msjit {

MSJIT_OP(rng_ticket)
    .doc("Draws the next ticket of the random generator: int64 [seed, ticket].")
    .signature("")
    .impure()
    .traits(kRandom)
    .infer([](InferCtx& ctx) -> Status {
      ctx.add_output(DType::kInt64, Shape{2});
      return {};
    })
    .cpu([](KernelCtx& ctx) -> Status {
      const RandomState drawn = draw_ticket();
      ctx.out[0].data_as<int64_t>()[0] = drawn.seed;
      ctx.out[0].data_as<int64_t>()[1] = drawn.ticket;
      return {};
    })
    .no_grad();

}  // namespace msjit
