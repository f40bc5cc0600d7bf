// What a place of captures remembers, and what follows from it: whether it is captured again, with
// which limits, and which sizes are left open.
#pragma once

#include "interp_hook/entry.h"

namespace msjit {

// Leaves a function to the interpreter: its next frames do not even come to the driver, and one
// that was marked, not asked for, is never looked at again; others at the call `retry_at`, 0 =
// never.
void leave_alone(CodeState& state, int64_t retry_at = 0);

// Whether the captures at a place were run often enough to be worth their time.
bool paid_off(const EntryPoint& point);
// Whether a place where nothing was captured last time is looked at again, at this call of its
// function.
bool is_due(const EntryPoint& point, int64_t calls);
// Lets go of entries that were hardly ever of use: each call would look at them.
void drop_seldom_used(EntryPoint& point);
// A place that is full gives its oldest entry away. False: its entries were of little use, and,
// unless the whole function is asked for, nothing is to be captured there any more.
bool make_room(EntryPoint& point, bool whole);
// The limits of the next capture: a place captured again and again may be so because of how often
// loops turn.
CaptureLimits limits_at(const EntryPoint& point);

// Remembers which sizes were otherwise this time, and says what they are now.
std::string note_sizes(EntryPoint& point, const Slots& now, PyObject** registers);
// What had to be a number is not left open again.
void close_sizes(EntryPoint& point, const OpenSizes& open);

}  // namespace msjit
