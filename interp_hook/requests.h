// The marks on code objects and the requests for single frames (hook.cc), and what notices that
// such a frame begins: evaluator_door.cc up to 3.11, monitoring_door.cc later.
#pragma once

#include <utility>

#include "guards/py/compat.h"
#include "interp_hook/hook.h"

namespace msjit {

// Frames of such code are resumed more than once, so they are never offered.
inline constexpr int kNeverNative =
    CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE;

// Up to 3.11 read on every call while the hook is installed, hence the cheap access model.
// `constinit` in a declaration spares the check whether the variable is made yet.
struct Requests {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local NextFrame* wanted;
  static Py_ssize_t mark_index;

  static FrameDoor marked(PyCodeObject* code) {
    return reinterpret_cast<FrameDoor>(compat::code_extra((PyObject*)code, mark_index));
  }
  // The door of the request that this frame of `code` answers; null if there is none.
  static FrameDoor take(PyCodeObject* code);
  static void begin(NextFrame* request) { request->outer_ = std::exchange(wanted, request); }
  static void end(NextFrame* request) {
    if (!request->taken() && wanted == request) wanted = request->outer_;
  }
};

namespace trigger {

// `code`, which is not kNeverNative, has got this mark (null: lost it).
void follow_mark(PyCodeObject* code, FrameDoor door);
// A frame of `code`, which is not kNeverNative, is about to be requested.
void follow_request(PyCodeObject* code);

}  // namespace trigger

}  // namespace msjit
