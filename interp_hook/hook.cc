#include "interp_hook/hook.h"

#include "guards/py/error.h"
#include "interp_hook/requests.h"

namespace msjit {

constinit thread_local NextFrame* Requests::wanted = nullptr;
Py_ssize_t Requests::mark_index = -1;

namespace {
thread_local FramePolicy taken_policy;
}  // namespace

FrameDoor Requests::take(PyCodeObject* code) {
  if (!wanted || wanted->code_ != code) return nullptr;
  NextFrame* request = std::exchange(wanted, wanted->outer_);
  taken_policy = request->policy_;
  return std::exchange(request->door_, nullptr);
}

namespace hook {

FramePolicy take_policy() { return std::exchange(taken_policy, {}); }

bool initialize() {
  if (Requests::mark_index >= 0) return true;
  Requests::mark_index = compat::request_code_extra(nullptr);
  if (Requests::mark_index >= 0) return true;
  raise(PyExc_RuntimeError,
        "[jit] index for data on code objects, got none from CPython, expected a free one");
  return false;
}

bool mark(PyCodeObject* code, FrameDoor door) {
  if (code->co_flags & kNeverNative) return true;
  if (!compat::set_code_extra((PyObject*)code, Requests::mark_index, reinterpret_cast<void*>(door)))
    return false;
  trigger::follow_mark(code, door);
  return true;
}

FrameDoor marked(PyCodeObject* code) { return Requests::marked(code); }

}  // namespace hook

NextFrame::NextFrame(PyCodeObject* code, FrameDoor door, FramePolicy policy)
    : code_(code), door_(door), policy_(policy) {
  if (!(code->co_flags & kNeverNative)) trigger::follow_request(code);
  Requests::begin(this);
}

NextFrame::~NextFrame() { Requests::end(this); }

}  // namespace msjit
