// kernels/cpu/random_fill.h on a device: a ticket gives the host's numbers.
#pragma once

#include "kernels/core/op.h"
#include "kernels/device/routine.h"

namespace msjit::devices {

// Turns the four words of a block into four numbers, like RandomMaker::narrow. Words are uint64
// below 2^32.
using RandomMaths = void (*)(std::span<const Sym, 4> words, std::span<Sym, 4> values);
// NotImplementedError for float64.
Status random_fill(KernelCtx& ctx, RandomMaths maths, bool range);

}  // namespace msjit::devices
