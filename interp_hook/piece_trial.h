// The trial of a function that is run in pieces (guards/call_trial.h): when its calls are timed,
// and what follows where the interpreter is faster.
#pragma once

#include "guards/cache.h"

namespace msjit {

// What the next call is to be. Calls are not timed where the tape records, since the gradient is a
// part of what such a call costs, nor before the kernels are compiled.
CallTrial::Turn next_turn_in_pieces(CodeState& state);
// The interpreter is faster than regions and the instructions between them: it is left the function
// for long. This is said once.
void end_pieces(CodeState& state);

}  // namespace msjit
