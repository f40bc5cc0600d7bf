// Offers frames to doors from 3.12 on: a sys.monitoring callback for PY_START of marked code
// objects. The callback runs the frame natively and leaves it where the interpreter has to go on.
// Other code pays nothing, and no evaluator is installed. A tool id is taken when the first code
// object is marked. If none is free, or another tool watches the code, CPython runs the frame.
#include <new>

#include "guards/cache.h"
#include "guards/py/compat.h"
#include "guards/py/compat_monitoring.h"
#include "interp_hook/frames/internals.h"
#include "interp_hook/requests.h"

namespace msjit {
namespace {

constexpr int kPyStart = 1;  // sys.monitoring.events.PY_START
constexpr int kNoTool = -1;
// Each nested frame in the driver occupies the C stack. CPython runs deeper ones, as its own calls
// of Python functions do not.
constexpr int kMaxNesting = 64;

int tool = kNoTool;
PyObject* disable = nullptr;  // sys.monitoring.DISABLE

[[gnu::tls_model("initial-exec")]] thread_local int nesting = 0;

// sys.monitoring, looked up once. Null when out of memory.
PyObject* monitoring() {
  static PyObject* kept = nullptr;
  if (!kept) kept = Ref::share(PySys_GetObject("monitoring")).release();
  return kept;
}

Ref call(const char* name, std::initializer_list<PyObject*> arguments) {
  for (PyObject* argument : arguments)
    if (!argument) return {};  // no memory
  if (!monitoring()) return {};
  const Ref function =
      Ref::steal(host::call(host::checked, PyObject_GetAttrString, monitoring(), name));
  return function ? host::call(host::checked, compat::vectorcall, function.get(), arguments.begin(),
                               arguments.size(), nullptr)
                  : Ref();
}

Ref number(long value) { return Ref::steal(PyLong_FromLong(value)); }

PyObject* run_door(PyThreadState* thread, void* frame, FrameDoor door) {
  const frames::LeaveCallback ordinary(thread);
  nesting++;
  PyObject* result;
  // When memory runs out, the view's destructor empties the frame.
  try {
    FrameView view(thread, frame);
    result = door(view);
  } catch (const std::bad_alloc&) {
    result = PyErr_NoMemory();
  }
  nesting--;
  return result;
}

// The callback. Not noexcept: a daemon thread that outlives the interpreter is unwound through
// here.
PyObject* on_start(PyObject*, PyObject* const* args, Py_ssize_t) {
  PyThreadState* thread = PyThreadState_Get();
  void* frame = frames::innermost(thread);
  auto* code = reinterpret_cast<PyCodeObject*>(args[0]);
  if (frames::code_of(frame) != code || nesting >= kMaxNesting || frames::is_watched(thread, code))
    return Ref::none().release();
  FrameDoor door = Requests::take(code);
  if (!door) door = Requests::marked(code);
  if (!door) return Ref::none().release();
  const CodeState* state = find_code_state(code);
  if (state && state->inert) {
    hook::take_policy();  // it was meant for this frame
    return new_reference(disable);
  }
  return run_door(thread, frame, door);
}

PyMethodDef callback_method = {
    "msjit", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(on_start)), METH_FASTCALL,
    nullptr};

bool take_tool() {
  static PyObject* const callback = PyCFunction_New(&callback_method, nullptr);  // lives for good
  const Ref name = Ref::steal(PyUnicode_FromString("msjit"));
  // The id set aside for optimizers first, then those without a name.
  for (int id : {5, 4, 3}) {
    if (!call("use_tool_id", {number(id).get(), name.get()})) {
      PyErr_Clear();
      continue;
    }
    disable = Ref::steal(host::call(host::checked, PyObject_GetAttrString, monitoring(), "DISABLE"))
                  .release();
    if (!disable ||
        !call("register_callback", {number(id).get(), number(kPyStart).get(), callback}))
      break;
    tool = compat::own_monitoring_tool = id;
    return true;
  }
  PyErr_Clear();
  return false;
}

// Switches the callback for `code` on or off. If that fails, CPython runs the code.
void listen(PyCodeObject* code, bool wanted) {
  if (tool == kNoTool && (!wanted || !take_tool())) return;
  const Ref events = number(wanted ? kPyStart : 0);
  const frames::KeepPairs pairs(code);
  if (!call("set_local_events", {number(tool).get(), (PyObject*)code, events.get()})) PyErr_Clear();
}

}  // namespace

void trigger::follow_mark(PyCodeObject* code, FrameDoor door) {
  // Off and on again: after a callback has returned DISABLE, only a change of the events revives
  // it.
  if (tool != kNoTool && frames::listens(code, tool)) listen(code, false);
  if (door && door != leave_frame) listen(code, true);
}

void trigger::follow_request(PyCodeObject* code) {
  if (tool == kNoTool || !frames::listens(code, tool)) listen(code, true);
}

bool hook::is_watched(PyCodeObject* code) { return frames::is_watched(PyThreadState_Get(), code); }

HookArm::HookArm() {}
HookArm::~HookArm() {}

}  // namespace msjit
