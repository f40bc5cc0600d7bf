// The driver: runs a frame as a sequence of compiled regions and single instructions, in the
// original frame. At each instruction it looks for an entry whose guards hold, or captures one, and
// runs it. Behind the region's exit the stepper runs the one instruction that cannot be captured,
// and the driver goes on. When no region comes for long, CPython gets the frame.
#pragma once

#include "bytecode/capture.h"
#include "bytecode/frame_view.h"
#include "guards/cache.h"
#include "interp_hook/entry.h"

namespace msjit {

// The door the hook calls for marked code and for JitFunction misses.
PyObject* drive_frame(FrameView& frame);

// An entry of `point` whose guards hold for these slots; null when there is none. `registers` has
// room for point.register_count. Valid until Python code runs.
Entry* find_entry(EntryPoint& point, const Slots& slots, PyObject** registers);

// Functions that the extension module provides. `check_source` raises msjit.CompileError if the
// source of an inlined function is outside PSJit's strict language. `refuse` raises it for a region
// that ends before its function does.
enum class SourceCheck { kKnown, kPassed, kFailed };  // kKnown: no Python code ran
struct FrontEnd {
  SourceCheck (*check_source)(const InlinedCode& inlined) = nullptr;
  void (*refuse)(const UserPlace& place, const std::string& function, const char* reason,
                 const std::string& text) = nullptr;
};
extern FrontEnd g_front_end;

}  // namespace msjit
