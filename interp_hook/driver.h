// The driver: runs a frame as a sequence of compiled regions and single instructions, in the
// original frame. Per place in the function: look for an entry whose guards hold, or capture one;
// run it; at its exit let the stepper do the one instruction that cannot be captured; go on. When
// that gets nowhere, CPython gets the frame.
#pragma once

#include "guards/cache.h"
#include "interp_hook/entry.h"
#include "interp_hook/frame_view.h"

namespace msjit {

// The door the hook calls for marked code and for JitFunction misses.
PyObject* drive_frame(FrameView& frame);

// An entry of `point` whose guards hold for these slots; null when there is none. `registers` has
// room for point.register_count. Valid until Python code runs.
Entry* find_entry(EntryPoint& point, const Slots& slots, PyObject** registers);

// `msjit.CompileError`, set by the extension.
extern PyObject* compile_error_type;

}  // namespace msjit
