// Offers frames to doors up to 3.11: a frame evaluator (PEP 523).
#include "interp_hook/hook.h"

#include <new>

#include "guards/py/compat.h"
#include "guards/py/error.h"
#include "interp_hook/frames/internals.h"

namespace msjit {
namespace {

Py_ssize_t mark_index = -1;
int arm_count = 0;
bool installed = false;                // by install(), and not yet removed by uninstall()
frames::Evaluator previous = nullptr;  // the evaluator that ours calls

// Read on every call while the hook is installed, hence the cheap access model.
[[gnu::tls_model("initial-exec")]] thread_local NextFrame* wanted = nullptr;
thread_local FramePolicy taken_policy;

constexpr int kNeverNative =
    CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE;

FrameDoor door_of(PyCodeObject* code) {
  return reinterpret_cast<FrameDoor>(compat::code_extra((PyObject*)code, mark_index));
}

}  // namespace

// The frame type comes out of the version's own evaluator signature.
template <class Evaluator>
struct HookFor;

struct HookEntry {
  static FrameDoor take_wanted(PyCodeObject* code) {
    if (!wanted || wanted->code_ != code) return nullptr;
    NextFrame* request = std::exchange(wanted, wanted->outer_);
    taken_policy = request->policy_;
    return std::exchange(request->door_, nullptr);
  }

  static FrameDoor choose(void* frame, int throwing) {
    PyCodeObject* code = frames::code_of(frame);
    FrameDoor door = door_of(code);
    if (!door && !wanted) [[likely]]
      return nullptr;
    if (throwing || (code->co_flags & kNeverNative) || frames::is_traced(PyThreadState_Get()))
      return nullptr;
    FrameDoor requested = take_wanted(code);
    return requested ? requested : door;
  }

  // When memory runs out, the view's destructor empties the frame.
  [[gnu::noinline]] static PyObject* run(PyThreadState* thread, void* frame, FrameDoor door) {
    try {
      FrameView view(thread, frame);
      return door(view);
    } catch (const std::bad_alloc&) {
      return PyErr_NoMemory();
    }
  }

  static void begin(NextFrame* request) { request->outer_ = std::exchange(wanted, request); }
  static void end(NextFrame* request) {
    if (!request->taken() && wanted == request) wanted = request->outer_;
  }
};

// Every call of Python code goes through eval, so for unmarked code it must stay a few loads and a
// jump. Not noexcept: the stack of a daemon thread that outlives the interpreter is unwound through
// it.
template <class Frame>
struct HookFor<PyObject* (*)(PyThreadState*, Frame*, int)> {
  static PyObject* eval(PyThreadState* thread, Frame* frame, int throwing) {
    FrameDoor door = HookEntry::choose(frame, throwing);
    if (!door) [[likely]]
      return previous(thread, frame, throwing);
    return HookEntry::run(thread, frame, door);
  }
  static PyObject* run_default(PyThreadState* thread, void* frame, int throwing) {
    return (previous ? previous : _PyEval_EvalFrameDefault)(thread, static_cast<Frame*>(frame),
                                                            throwing);
  }
};

template <class Frame>
struct HookFor<PyObject* (*)(Frame*, int)> {
  static PyObject* eval(Frame* frame, int throwing) {
    FrameDoor door = HookEntry::choose(frame, throwing);
    if (!door) [[likely]]
      return previous(frame, throwing);
    return HookEntry::run(PyThreadState_Get(), frame, door);
  }
  static PyObject* run_default(PyThreadState*, void* frame, int throwing) {
    return (previous ? previous : _PyEval_EvalFrameDefault)(static_cast<Frame*>(frame), throwing);
  }
};

namespace {

using Hook = HookFor<frames::Evaluator>;

void install() {
  const frames::Evaluator current = frames::evaluator();
  if (current == Hook::eval) return;
  // An evaluator that somebody installed after ours calls ours. Installing ours again above it
  // would make a circle. If CPython's own evaluator is in place, somebody has removed ours.
  if (installed && current != _PyEval_EvalFrameDefault) return;
  previous = current;
  frames::set_evaluator(Hook::eval);
  installed = true;
}

void uninstall() {
  if (frames::evaluator() != Hook::eval) return;
  frames::set_evaluator(previous);
  installed = false;
}

}  // namespace

namespace hook {

FramePolicy take_policy() { return std::exchange(taken_policy, {}); }

bool initialize() {
  if (mark_index >= 0) return true;
  mark_index = compat::request_code_extra(nullptr);
  if (mark_index >= 0) return true;
  raise(PyExc_RuntimeError,
        "[jit] index for data on code objects, got none from CPython, expected a free one");
  return false;
}

bool mark(PyCodeObject* code, FrameDoor door) {
  if (code->co_flags & kNeverNative) return true;
  return compat::set_code_extra((PyObject*)code, mark_index, reinterpret_cast<void*>(door));
}

FrameDoor marked(PyCodeObject* code) { return door_of(code); }

bool is_watched(PyCodeObject*) { return compat::is_traced(); }

PyObject* default_eval(PyThreadState* thread, void* frame, int throwing) {
  return Hook::run_default(thread, frame, throwing);
}

}  // namespace hook

HookArm::HookArm() {
  arm_count++;
  install();
}

HookArm::~HookArm() {
  if (--arm_count == 0) uninstall();
}

NextFrame::NextFrame(PyCodeObject* code, FrameDoor door, FramePolicy policy)
    : code_(code), door_(door), policy_(policy) {
  HookEntry::begin(this);
}

NextFrame::~NextFrame() { HookEntry::end(this); }

}  // namespace msjit
