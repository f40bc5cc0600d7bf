// References that the exit of a region drops. If they are the last ones to an object whose end runs
// code (an instance with __del__, a suspended generator), that code would run in the middle of the
// exit, and could see or change what the exit has half done. Therefore a shorter region is used,
// which ends before the instruction that drops the object; the interpreter runs that instruction.
#pragma once

#include <functional>

#include "interp_hook/entry.h"

namespace msjit {

// The objects of the program to which the exit makes new references: in the frame, in the result or
// in an object. Objects that it only prints or changes are not among them.
std::vector<SourceId> kept_objects(const Entry& entry);
// Whether the exit of an entry whose guards hold would run code of the program. `frame`: the frame
// whose locals and stack the exit changes; null when it changes none.
bool drops_code(const Entry& entry, PyObject* const* registers, const Slots* frame);

// Shortens a region of `steps` instructions whose exit would run code, until its exit runs none: a
// binary search for the longest one. `take(n)` captures the region that ends before its n-th
// instruction. An error is one that `take` returned.
Result<Capture> capture_before_code(const std::function<Result<Capture>(int)>& take, int steps,
                                    const Slots& frame);

}  // namespace msjit
