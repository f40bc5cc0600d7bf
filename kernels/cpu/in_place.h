// Rules and loops of the operators that write into their first input: assignments and optimizer
// steps. The eager sink checks the first input and bumps its version. This file does so for the
// other tensors that an optimizer writes.
#pragma once

#include <initializer_list>

#include "kernels/core/op.h"

namespace msjit::in_place {

// x and a value that broadcasts to it; the output is x.
Status infer_update(InferCtx& ctx);
// x = op(x, value), for an elementwise op that keeps x's dtype.
Status combine(KernelCtx& ctx, const OpDef& op);

// Optimizer steps: the inputs are a float parameter, `num_states` tensors of its shape and dtype,
// its gradient, and the learning rate, a single number.
Status infer_step(InferCtx& ctx, int num_states);

inline constexpr int kMaxStates = 3;
// What a step works on: contiguous data of the parameter (0), its states and the gradient (last).
struct Step {
  Tensor tensors[kMaxStates + 2];
  Tensor targets[kMaxStates + 2];  // where a copy must be written back; empty handles otherwise
  int num_states;
  int64_t count;
  double rate;
};
Result<Step> begin_step(KernelCtx& ctx, int num_states);
// Copies back what was not contiguous and bumps the versions of the states.
void end_step(KernelCtx& ctx, const Step& step);
// The inputs in the dtype in which a step computes, for OpDef::update.
Vals step_values(std::span<const Val> in);

}  // namespace msjit::in_place
