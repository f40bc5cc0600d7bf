// Which frames reach a door (the driver's entry). A frame is offered to a door when its code is
// marked or the thread asked for it (NextFrame); frames of generators and coroutines, resumptions
// by throw(), and frames under a tracer, profiler or monitoring tool never are. Up to 3.11 an
// eval-frame hook meets them (hook.cc), installed only while a HookArm lives: it takes every other
// call of Python code 1 ns up to 3.10, and a third longer on 3.11. An evaluator installed by
// somebody else before us is called for every frame we do not run. From 3.12 on a sys.monitoring
// callback on the code object meets them (monitoring_door.cc) and a HookArm does nothing.
#pragma once

#include "bytecode/frame_view.h"

namespace msjit {

// Runs the frame and ends the view (frame_view.h); a door that does not want the frame resumes it.
using FrameDoor = PyObject* (*)(FrameView& frame);
// The door of code that is never to be run natively, nor to be marked again.
inline PyObject* leave_frame(FrameView& frame) { return frame.resume(); }

// How the call that asked for a frame wants it driven.
struct FramePolicy {
  bool whole = false;   // one graph: where a region would end early the call raises CompileError
  bool source = false;  // PSJit: the source of what is inlined has to be in the language
};

namespace hook {

// The policy of the request that the frame now offered answers, once; the default for marked code.
FramePolicy take_policy();

// False with an exception set when the interpreter refuses; call once before anything else.
bool initialize();

// Every later frame of `code` goes to `door` (null: no longer). False with an exception set.
bool mark(PyCodeObject* code, FrameDoor door);
FrameDoor marked(PyCodeObject* code);
// Somebody watches what runs here (a tracer, a profiler, from 3.12 on a monitoring tool): native
// code would hide it.
bool is_watched(PyCodeObject* code);

// Calls the evaluator that was there before us (up to 3.11).
PyObject* default_eval(PyThreadState* thread, void* frame, int throwing);

}  // namespace hook

// Keeps the hook installed while alive. Nests, per process.
class HookArm {
 public:
  HookArm();
  ~HookArm();
  HookArm(const HookArm&) = delete;
  HookArm& operator=(const HookArm&) = delete;
};

// Asks for the next frame of `code` on this thread, marked or not: `door` gets it. Holds a HookArm.
class NextFrame {
 public:
  NextFrame(PyCodeObject* code, FrameDoor door, FramePolicy policy = {});
  ~NextFrame();
  NextFrame(const NextFrame&) = delete;
  NextFrame& operator=(const NextFrame&) = delete;
  bool taken() const { return !door_; }

 private:
  friend struct HookEntry;
  HookArm arm_;
  PyCodeObject* code_;
  FrameDoor door_;
  FramePolicy policy_;
  NextFrame* outer_;
};

}  // namespace msjit
