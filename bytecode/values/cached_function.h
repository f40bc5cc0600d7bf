// Functions of the program under functools.lru_cache. A call that the cache knows gives the
// remembered object, which is found there at each call. The call itself is made at the region's
// exit: it counts a hit and makes the result the latest one.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

class ExitBuilder;

// `known`: whether `function` is one; if not, nothing was done.
bool call_cached(Executor& x, const SymRef& function, const std::vector<SymRef>& args,
                 PyObject* names, SymRef* out, bool* known);
// Adds the calls to the effects of the region.
bool replay_cached(ExitBuilder& exit, const SymRef& function, int target);

}  // namespace msjit
