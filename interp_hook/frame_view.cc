#include "bytecode/frame_view.h"

#include "guards/py/compat.h"
#include "guards/py/compat_monitoring.h"
#include "interp_hook/frames/internals.h"

namespace msjit {

FrameView::~FrameView() {
  if (!ended_ && !compat::is_finalizing()) drop_reference(finish({}));
}

// A finalizer of the old value may look at the frame, so the slot changes before that value dies.
void FrameView::set_local(int slot, Ref value) { slots_[slot].replace(std::move(value)); }

Ref FrameView::take_local(int slot) { return slots_[slot].take(); }

void FrameView::drop(int items) {
  for (; items > 0; items--) pop().reset();
}

void FrameView::set_stack(std::span<Ref> items) {
  drop(depth_);
  for (Ref& item : items) push(std::move(item));
}

bool FrameView::is_traced() const {
  return frames::is_traced(thread_) || compat::has_listeners(code_);
}

PyObject* FrameView::resume() { return run(0); }
PyObject* FrameView::resume_raising() { return run(1); }

}  // namespace msjit
