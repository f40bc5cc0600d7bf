// The driver: runs a frame as a sequence of compiled regions and single instructions, in the
// original frame. Per place in the function: look for an entry whose guards hold, or capture one;
// run it; at its exit let the stepper do the one instruction that cannot be captured; go on. When
// that gets nowhere, CPython gets the frame.
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

// What the extension sets. `check_source` raises msjit.CompileError where the source of a function
// that is inlined is not in the language of PSJit. `refuse` raises it for a region that ends before
// its function does.
enum class SourceCheck { kKnown, kPassed, kFailed };  // kKnown: no Python code ran
struct FrontEnd {
  SourceCheck (*check_source)(const InlinedCode& inlined) = nullptr;
  void (*refuse)(const UserPlace& place, const std::string& function, const char* reason,
                 const std::string& text) = nullptr;
};
extern FrontEnd g_front_end;

}  // namespace msjit
