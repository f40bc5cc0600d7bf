// What the exit of a region lets go of. Where these are the last references to something that then
// runs code of its own (an instance with __del__, a suspended generator), that code runs, in the
// program, in the midst of what the region does, and may see it or change it. So the region ends
// before the instruction that lets go, and the interpreter runs that one.
#pragma once

#include <functional>

#include "interp_hook/entry.h"

namespace msjit {

// The objects of the program that the exit stores somewhere or hands on: not those it only prints,
// nor those it only changes.
std::vector<SourceId> kept_objects(const Entry& entry);
// Whether code would run at the exit of an entry whose guards hold. `frame`: what is to be changed
// at the exit too; null where there is none.
bool drops_code(const Entry& entry, PyObject* const* registers, const Slots* frame);

// A capture whose exit runs no code, of one that would and has `steps` instructions: the longest
// that halving finds. `take(n)` captures what ends before the n-th instruction. An error is one of
// its.
Result<Capture> capture_before_code(const std::function<Result<Capture>(int)>& take, int steps,
                                    const Slots& frame);

}  // namespace msjit
