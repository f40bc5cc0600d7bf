// The trial (guards/call_trial.h) of a function that is run in pieces, that is, as several regions
// with stepped instructions between them: when its calls are timed, and what happens if the
// interpreter is faster.
#pragma once

#include "guards/cache.h"

namespace msjit {

// How the next call is run, and whether it is timed. Calls are not timed while the tape records,
// because the gradient is a part of their cost, nor before the kernels are compiled.
CallTrial::Turn next_turn_in_pieces(CodeState& state);
// The interpreter is faster than the pieces: leaves the function to it for long. Only the first
// time is reported as a break.
void end_pieces(CodeState& state);

}  // namespace msjit
