// Frames of CPython 3.11: _PyInterpreterFrame on the thread's data stack. The caller of the hook
// does not link the frame, and clears it after the hook, whoever has run it. At entry the prologue
// that makes cells has not run.
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#include <internal/pycore_frame.h>

#include "bytecode/frame_view.h"
#include "guards/py/gil.h"
#include "interp_hook/frames/internals.h"
#include "interp_hook/frames/swallow_call_event.h"
#include "interp_hook/hook.h"

namespace msjit {
namespace {

using Frame = _PyInterpreterFrame;
constexpr uint8_t kCellBit = 0x40;  // CO_FAST_CELL

Frame* as_frame(void* frame) { return static_cast<Frame*>(frame); }

}  // namespace

FrameView::FrameView(PyThreadState* thread, void* frame)
    : thread_(thread), frame_(frame), code_(as_frame(frame)->f_code) {
  slots_ = reinterpret_cast<Slot*>(as_frame(frame)->localsplus);
  stack_ = slots_ + code_->co_nlocalsplus;
  depth_ = as_frame(frame)->stacktop - code_->co_nlocalsplus;
}

Borrowed FrameView::function() const { return Borrowed((PyObject*)as_frame(frame_)->f_func); }
Borrowed FrameView::globals() const { return Borrowed(as_frame(frame_)->f_globals); }
Borrowed FrameView::builtins() const { return Borrowed(as_frame(frame_)->f_builtins); }
Borrowed FrameView::names() const { return Borrowed(as_frame(frame_)->f_locals); }

Borrowed FrameView::closure_cell(int i) const {
  return Borrowed(PyTuple_GET_ITEM(as_frame(frame_)->f_func->func_closure, i));
}

int FrameView::pc() const { return 2 * (_PyInterpreterFrame_LASTI(as_frame(frame_)) + 1); }

void FrameView::set_pc(int offset) {
  as_frame(frame_)->prev_instr = _PyCode_CODE(code_) + offset / 2 - 1;
}

void FrameView::set_current(int op_offset) {
  as_frame(frame_)->prev_instr = _PyCode_CODE(code_) + op_offset / 2;
}

void FrameView::set_blocks(std::span<const Block>) {}

bool FrameView::is_kept() const {
  const PyFrameObject* object = as_frame(frame_)->frame_obj;
  return object && Py_REFCNT(object) > 1;
}

bool FrameView::prologue() {
  const int behind = 2 * code_->_co_firsttraceable;
  if (prologue_done_ || pc() >= behind) return true;
  const int first_free = code_->co_nlocalsplus - code_->co_nfreevars;
  const auto* kinds = (const uint8_t*)PyBytes_AS_STRING(code_->co_localspluskinds);
  for (int slot = 0; slot < first_free; slot++) {
    if (!(kinds[slot] & kCellBit)) continue;
    Ref cell = Ref::steal(PyCell_New(slots_[slot]));
    if (!cell) return false;
    set_local(slot, std::move(cell));
  }
  for (int i = 0; i < code_->co_nfreevars; i++)
    set_local(first_free + i, Ref::share(closure_cell(i)));
  prologue_done_ = true;
  set_pc(behind);
  return true;
}

bool FrameView::enter() {
  if (entered_) return true;
  if (Py_EnterRecursiveCall("")) return false;
  entered_ = true;
  Frame* frame = as_frame(frame_);
  frame->is_entry = true;
  frame->previous = thread_->cframe->current_frame;
  thread_->cframe->current_frame = frame;
  return true;
}

void FrameView::leave() {
  if (!entered_) return;
  entered_ = false;
  thread_->cframe->current_frame = as_frame(frame_)->previous;
  Py_LeaveRecursiveCall();
}

PyObject* FrameView::run(int throwing) {
  ended_ = true;
  leave();
  as_frame(frame_)->stacktop = code_->co_nlocalsplus + depth_;
  const SwallowCallEvent swallow(thread_, throwing);
  return outlive_interpreter([&] { return hook::default_eval(thread_, frame_, throwing); });
}

PyObject* FrameView::finish(Ref result) {
  ended_ = true;
  drop(depth_);
  leave();
  as_frame(frame_)->stacktop = code_->co_nlocalsplus;
  // If a frame object outlives the call, it takes the frame over with this link.
  as_frame(frame_)->previous = thread_->cframe->current_frame;
  return result.release();
}

PyCodeObject* frames::code_of(void* frame) { return as_frame(frame)->f_code; }
bool frames::is_traced(PyThreadState* thread) { return thread->cframe->use_tracing; }

void* frames::innermost(PyThreadState* thread) { return thread->cframe->current_frame; }
void* frames::set_innermost(PyThreadState* thread, void* frame) {
  return std::exchange(thread->cframe->current_frame, as_frame(frame));
}
void* frames::below(void* frame) { return as_frame(frame)->previous; }
int frames::recursion(PyThreadState* thread) {
  return thread->recursion_limit - thread->recursion_remaining;
}
void frames::set_recursion(PyThreadState* thread, int levels) {
  thread->recursion_remaining = thread->recursion_limit - levels;
}

}  // namespace msjit
#endif
