// The interpreter reports a call event when it starts to run a frame (from 3.11 on only when it
// starts by raising). A frame that is resumed in the middle must not report one, but would if its
// code has switched a tracer or profiler on. While a SwallowCallEvent lives, stand-ins for the
// trace and profile functions take that one event.
#pragma once

#include <Python.h>

#include <utility>

#include "interp_hook/frames/internals.h"

namespace msjit {

class SwallowCallEvent {
 public:
  SwallowCallEvent(PyThreadState* thread, bool wanted) : thread_(thread) {
    // Inside a trace function nothing is reported at all.
    if (!wanted || !frames::is_traced(thread) || thread->tracing) return;
    if (thread->c_tracefunc && thread->c_tracefunc != trace)
      real_trace = std::exchange(thread->c_tracefunc, trace);
    if (thread->c_profilefunc && thread->c_profilefunc != profile)
      real_profile = std::exchange(thread->c_profilefunc, profile);
  }
  // The interpreter may have failed before it reported anything.
  ~SwallowCallEvent() {
    if (thread_->c_tracefunc == trace) thread_->c_tracefunc = real_trace;
    if (thread_->c_profilefunc == profile) thread_->c_profilefunc = real_profile;
  }

 private:
  static int trace(PyObject*, PyFrameObject*, int, PyObject*) {
    PyThreadState_Get()->c_tracefunc = real_trace;
    return 0;
  }
  static int profile(PyObject*, PyFrameObject*, int, PyObject*) {
    PyThreadState_Get()->c_profilefunc = real_profile;
    return 0;
  }
  static inline thread_local Py_tracefunc real_trace = nullptr;
  static inline thread_local Py_tracefunc real_profile = nullptr;
  PyThreadState* thread_;
};

}  // namespace msjit
