// A point (EntryPoint, guards/cache.h) is an instruction at which regions may start. From what it
// remembers these functions decide whether it is captured again, with which limits, and which sizes
// the next capture leaves open.
#pragma once

#include "interp_hook/entry.h"

namespace msjit {

// Leaves a function to the interpreter: its next frames do not even come to the driver. A function
// that the driver met because it was marked is never looked at again. Any other one (a JitFunction)
// is, at its call number `retry_at`; 0 = never.
void leave_alone(CodeState& state, int64_t retry_at = 0);

// Whether the captures at a point were run often enough to be worth their time.
bool paid_off(const EntryPoint& point);
// Whether a point at which the last capture found nothing is captured again in this call, the
// `calls`-th of its function.
bool is_due(const EntryPoint& point, int64_t calls);
// Removes entries that were hardly ever used. Otherwise every call would check their guards.
void drop_seldom_used(EntryPoint& point);
// Makes room for another entry: a full point loses the one used least recently. False: the entries
// were of little use, so nothing more is captured there. With `whole` (the whole function must be
// one graph) it is captured all the same.
bool make_room(EntryPoint& point, bool whole);
// The limits of the next capture. If a point needs capture after capture, the number of turns of a
// loop may be what differs, so fewer turns are unrolled then.
CaptureLimits limits_at(const EntryPoint& point);

// Remembers which sizes differ in this call from those of the last entry, and returns them as text.
std::string note_sizes(EntryPoint& point, const Slots& now, PyObject** registers);
// A size that a capture needed as a constant is not left open again.
void close_sizes(EntryPoint& point, const OpenSizes& open);

}  // namespace msjit
