// Frames of CPython 3.12, met in a monitoring callback: prev_instr points at the instruction being
// executed.
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030D0000
#undef _PyGC_FINALIZED
#include <internal/pycore_frame.h>
#include <internal/pycore_instruments.h>

#include <algorithm>

#include "bytecode/versions/version.h"
#include "interp_hook/frame_view.h"
#include "interp_hook/frames/internals.h"

extern "C" unsigned msjit_global_tools(PyThreadState* thread);  // py312.c

namespace msjit {
namespace {

using Frame = _PyInterpreterFrame;

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }
PyCodeObject* code_object(Frame* frame) { return frame->f_code; }
_Py_CODEUNIT*& current(Frame* frame) { return frame->prev_instr; }
Frame* innermost(PyThreadState* thread) { return thread->cframe->current_frame; }
unsigned global_tools(PyThreadState* thread) { return msjit_global_tools(thread); }

}  // namespace

#include "interp_hook/frames/monitored_frame.inc"

}  // namespace msjit
#endif
