// kernels/cpu/random_fill.h on a device: the same numbers for the same ticket.
#pragma once

#include "kernels/core/op.h"
#include "kernels/device/routine.h"

namespace msjit::devices {

// How the four words of a block become four numbers, as RandomMaker::narrow; words are uint64 below
// 2^32.
using RandomMaths = void (*)(std::span<const Sym, 4> words, std::span<Sym, 4> values);
// NotImplementedError for float64.
Status random_fill(KernelCtx& ctx, RandomMaths maths, bool range);

}  // namespace msjit::devices
