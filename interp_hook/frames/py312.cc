// Frames of CPython 3.12, met in a monitoring callback: prev_instr points at the instruction being
// executed.
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030D0000
#undef _PyGC_FINALIZED
#include <internal/pycore_frame.h>
#include <internal/pycore_instruments.h>
#include <opcode.h>

#include <algorithm>

#include "bytecode/frame_view.h"
#include "bytecode/versions/version.h"
#include "guards/py/compat_monitoring.h"
#include "interp_hook/frames/internals.h"

extern "C" unsigned msjit_global_tools(PyThreadState* thread);  // py312.c

namespace msjit {
namespace {

using Frame = _PyInterpreterFrame;

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }
PyCodeObject* code_object(Frame* frame) { return frame->f_code; }
_Py_CODEUNIT*& current(Frame* frame) { return frame->prev_instr; }
Frame*& innermost(PyThreadState* thread) { return thread->cframe->current_frame; }
unsigned global_tools(PyThreadState* thread) { return msjit_global_tools(thread); }
#include "interp_hook/frames/until_313.inc"

}  // namespace

#include "interp_hook/frames/monitored_frame.inc"

namespace {

// The first half of a pair; 0 for every other opcode.
uint8_t first_half(uint8_t opcode) {
  switch (opcode) {
    case LOAD_CONST__LOAD_FAST: return LOAD_CONST;
    case LOAD_FAST__LOAD_CONST:
    case LOAD_FAST__LOAD_FAST: return LOAD_FAST;
    case STORE_FAST__LOAD_FAST:
    case STORE_FAST__STORE_FAST: return STORE_FAST;
    default: return 0;
  }
}

}  // namespace

// This also looks at inline caches as if they were instructions. That does no harm: no event turns
// one into the first half of a pair, so none is changed back.
frames::KeepPairs::KeepPairs(PyCodeObject* code) : code_(code) {
  for (Py_ssize_t i = 0; i < Py_SIZE(code); i++)
    if (const uint8_t opcode = _PyCode_CODE(code)[i].op.code; first_half(opcode))
      pairs_.emplace_back(i, opcode);
}

frames::KeepPairs::~KeepPairs() {
  if (is_watched(PyThreadState_Get(), code_)) return;
  for (const auto& [place, opcode] : pairs_)
    if (auto& unit = _PyCode_CODE(code_)[place]; unit.op.code == first_half(opcode))
      unit.op.code = opcode;
}

}  // namespace msjit
#endif
