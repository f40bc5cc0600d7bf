// Decides which frames are offered to a door. A door is a function that takes over a new frame,
// such as drive_frame. A frame is offered if its code is marked, or if this thread has asked for it
// (NextFrame). Never offered are frames of generators and coroutines, resumptions by throw(), and
// frames under a tracer, profiler or monitoring tool.
// Up to 3.11 an eval-frame hook (evaluator_door.cc) notices that frames begin. It is installed only
// while a HookArm lives. It costs every other call of Python code 1 ns up to 3.10, and makes it a
// third longer on 3.11. An evaluator that somebody installed before us is called for every frame we
// do not run. From 3.12 on a sys.monitoring callback on the code object notices it
// (monitoring_door.cc), and a HookArm does nothing.
#pragma once

#include "bytecode/frame_view.h"

namespace msjit {

// Runs the frame and ends the view (frame_view.h); a door that does not want the frame resumes it.
using FrameDoor = PyObject* (*)(FrameView& frame);
// The door of code that must never run natively, nor be marked again.
inline PyObject* leave_frame(FrameView& frame) { return frame.resume(); }

// What the caller that asked for a frame demands of the driver.
struct FramePolicy {
  bool whole = false;   // one graph: if a region would end early, the call raises CompileError
  bool source = false;  // level STRICT of PSJit: inlined functions must be in its language
};

namespace hook {

// The policy of the request that the current frame was offered for. A second call gives the
// default, as does a frame that was offered because its code is marked.
FramePolicy take_policy();

// False with an exception set when the interpreter refuses; call once before anything else.
bool initialize();

// Every later frame of `code` goes to `door` (null: no longer). False with an exception set.
bool mark(PyCodeObject* code, FrameDoor door);
FrameDoor marked(PyCodeObject* code);
// Whether a tracer, a profiler or (from 3.12 on) a monitoring tool watches this code. Native code
// would hide its events.
bool is_watched(PyCodeObject* code);

// Calls the evaluator that was installed before ours (up to 3.11).
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

// While alive, asks for the next frame of `code` on this thread, marked or not: `door` gets it.
class NextFrame {
 public:
  NextFrame(PyCodeObject* code, FrameDoor door, FramePolicy policy = {});
  ~NextFrame();
  NextFrame(const NextFrame&) = delete;
  NextFrame& operator=(const NextFrame&) = delete;
  bool taken() const { return !door_; }

 private:
  friend struct Requests;
  HookArm arm_;
  PyCodeObject* code_;
  FrameDoor door_;
  FramePolicy policy_;
  NextFrame* outer_;
};

}  // namespace msjit
