// Frames of CPython 3.7: as on 3.9, but loops and `except` have block types of their own.
#include <Python.h>

#if PY_VERSION_HEX >= 0x03070000 && PY_VERSION_HEX < 0x03080000
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

int block_type(BlockKind kind) {
  return kind == BlockKind::kLoop     ? SETUP_LOOP
         : kind == BlockKind::kExcept ? SETUP_EXCEPT
                                      : SETUP_FINALLY;
}

}  // namespace

#include "interp_hook/frames/frame_object.inc"

bool frames::is_traced(PyThreadState* thread) { return thread->use_tracing; }

frames::Evaluator frames::evaluator() { return PyThreadState_Get()->interp->eval_frame; }
void frames::set_evaluator(Evaluator evaluator) {
  PyThreadState_Get()->interp->eval_frame = evaluator;
}

}  // namespace msjit
#endif
