// Frames of CPython 3.8: as on 3.9, but the evaluator slot is an internal field.
#include <Python.h>

#if PY_VERSION_HEX >= 0x03080000 && PY_VERSION_HEX < 0x03090000
#include <frameobject.h>
#include <opcode.h>

#include "bytecode/frame_view.h"
#include "guards/py/gil.h"
#include "interp_hook/frames/internals.h"
#include "interp_hook/frames/swallow_call_event.h"
#include "interp_hook/hook.h"

// py38.c
extern "C" msjit::frames::Evaluator msjit_evaluator();
extern "C" void msjit_set_evaluator(msjit::frames::Evaluator evaluator);

namespace msjit {
namespace {

using Frame = PyFrameObject;
constexpr int kUnit = 1;

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }
int stack_depth_of(Frame* frame) { return int(frame->f_stacktop - frame->f_valuestack); }
void begin_running(Frame* frame) {
  frame->f_executing = 1;
  frame->f_stacktop = nullptr;
}
void end_running(Frame* frame, int depth) {
  frame->f_executing = 0;
  frame->f_stacktop = frame->f_valuestack + depth;
}
void mark_returned(Frame* frame) {
  frame->f_executing = 0;
  frame->f_stacktop = nullptr;
}

int block_type(BlockKind) { return SETUP_FINALLY; }

}  // namespace

#include "interp_hook/frames/frame_object.inc"

bool frames::is_traced(PyThreadState* thread) { return thread->use_tracing; }

frames::Evaluator frames::evaluator() { return msjit_evaluator(); }
void frames::set_evaluator(Evaluator evaluator) { msjit_set_evaluator(evaluator); }

}  // namespace msjit
#endif
