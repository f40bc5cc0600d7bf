// Frames of CPython 3.14, met in a monitoring callback: slots are tagged, the stack's height is a
// pointer.
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
#include <internal/pycore_code.h>
#include <internal/pycore_interp_structs.h>
#include <internal/pycore_interpframe_structs.h>

#include <algorithm>

#include "bytecode/frame_view.h"
#include "bytecode/versions/version.h"
#include "guards/py/compat_monitoring.h"
#include "interp_hook/frames/internals.h"

namespace msjit {
namespace {

using Frame = _PyInterpreterFrame;

constexpr uintptr_t kNumberTag = 3;  // marks a slot that holds a number instead of an object

const Slot& slot_of(const _PyStackRef& reference) {
  return reinterpret_cast<const Slot&>(reference);
}

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }
PyCodeObject* code_object(Frame* frame) {
  return reinterpret_cast<PyCodeObject*>(slot_of(frame->f_executable).get());
}
#include "interp_hook/frames/from_313.inc"
PyObject* function_of(Frame* frame) { return slot_of(frame->f_funcobj); }
_PyStackRef* stack_of(Frame* frame) {
  return frame->localsplus + code_object(frame)->co_nlocalsplus;
}
int depth_of(Frame* frame) { return int(frame->stackpointer - stack_of(frame)); }
void set_depth(Frame* frame, int depth) { frame->stackpointer = stack_of(frame) + depth; }
bool is_bottom(Frame* frame) { return frame->owner >= FRAME_OWNED_BY_INTERPRETER; }
void free_c_levels(PyThreadState*, int) {}
bool put_offset(Slot& slot, int offset) {
  slot.put_bits(uintptr_t(offset) << 2 | kNumberTag);
  return true;
}

}  // namespace

#include "interp_hook/frames/monitored_frame.inc"

frames::KeepPairs::KeepPairs(PyCodeObject* code) : code_(code) {}
frames::KeepPairs::~KeepPairs() {}

}  // namespace msjit
#endif
