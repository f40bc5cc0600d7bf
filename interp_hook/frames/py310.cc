// Frames of CPython 3.10: f_lasti and block handlers count code units; f_state says whether a frame
// runs.
#include <Python.h>

#if PY_VERSION_HEX >= 0x030A0000 && PY_VERSION_HEX < 0x030B0000
#include <frameobject.h>
#include <opcode.h>

#include "bytecode/frame_view.h"
#include "guards/py/gil.h"
#include "interp_hook/frames/internals.h"
#include "interp_hook/frames/swallow_call_event.h"
#include "interp_hook/hook.h"

namespace msjit {
namespace {

using Frame = PyFrameObject;
constexpr int kUnit = 2;

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }
int stack_depth_of(Frame* frame) { return frame->f_stackdepth; }
void begin_running(Frame* frame) {
  frame->f_state = FRAME_EXECUTING;
  frame->f_stackdepth = -1;
}
void end_running(Frame* frame, int depth) {
  frame->f_state = FRAME_CREATED;
  frame->f_stackdepth = depth;
}
void mark_returned(Frame* frame) {
  frame->f_state = FRAME_RETURNED;
  frame->f_stackdepth = 0;
}

int block_type(BlockKind) { return SETUP_FINALLY; }

}  // namespace

#include "interp_hook/frames/frame_object.inc"

bool frames::is_traced(PyThreadState* thread) { return thread->cframe->use_tracing; }

}  // namespace msjit
#endif
