// Offers frames to doors up to 3.11: a frame evaluator (PEP 523).
#include <new>

#include "interp_hook/frames/internals.h"
#include "interp_hook/requests.h"

namespace msjit {
namespace {

int arm_count = 0;
bool installed = false;                // by install(), and not yet removed by uninstall()
frames::Evaluator previous = nullptr;  // the evaluator that ours calls

FrameDoor choose(void* frame, int throwing) {
  PyCodeObject* code = frames::code_of(frame);
  FrameDoor door = Requests::marked(code);
  if (!door && !Requests::wanted) [[likely]]
    return nullptr;
  if (throwing || (code->co_flags & kNeverNative) || frames::is_traced(PyThreadState_Get()))
    return nullptr;
  FrameDoor requested = Requests::take(code);
  return requested ? requested : door;
}

// When memory runs out, the view's destructor empties the frame.
[[gnu::noinline]] PyObject* run(PyThreadState* thread, void* frame, FrameDoor door) {
  try {
    FrameView view(thread, frame);
    return door(view);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

// The frame type comes out of the version's own evaluator signature.
template <class Evaluator>
struct HookFor;

// Every call of Python code goes through eval, so for unmarked code it must stay a few loads and a
// jump. Not noexcept: the stack of a daemon thread that outlives the interpreter is unwound through
// it.
template <class Frame>
struct HookFor<PyObject* (*)(PyThreadState*, Frame*, int)> {
  static PyObject* eval(PyThreadState* thread, Frame* frame, int throwing) {
    FrameDoor door = choose(frame, throwing);
    if (!door) [[likely]]
      return previous(thread, frame, throwing);
    return run(thread, frame, door);
  }
  static PyObject* run_default(PyThreadState* thread, void* frame, int throwing) {
    return (previous ? previous : _PyEval_EvalFrameDefault)(thread, static_cast<Frame*>(frame),
                                                            throwing);
  }
};

template <class Frame>
struct HookFor<PyObject* (*)(Frame*, int)> {
  static PyObject* eval(Frame* frame, int throwing) {
    FrameDoor door = choose(frame, throwing);
    if (!door) [[likely]]
      return previous(frame, throwing);
    return run(PyThreadState_Get(), frame, door);
  }
  static PyObject* run_default(PyThreadState*, void* frame, int throwing) {
    return (previous ? previous : _PyEval_EvalFrameDefault)(static_cast<Frame*>(frame), throwing);
  }
};

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

// The evaluator sees every frame.
void trigger::follow_mark(PyCodeObject*, FrameDoor) {}
void trigger::follow_request(PyCodeObject*) {}

namespace hook {

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

}  // namespace msjit
