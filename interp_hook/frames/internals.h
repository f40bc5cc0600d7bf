// What hook.cc, monitoring_door.cc and the stepper need to know about frames besides FrameView,
// implemented by the one frames/py3XX.cc that is compiled.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace msjit::frames {

PyCodeObject* code_of(void* frame);
// A tracer, a profiler or, from 3.12 on, a monitoring tool watches this thread.
bool is_traced(PyThreadState* thread);

// --- the stack of a thread ---
void* innermost(PyThreadState* thread);                   // the running frame; null for none
void* set_innermost(PyThreadState* thread, void* frame);  // what it was before
void* below(void* frame);                                 // the caller; null at the bottom
int recursion(PyThreadState* thread);                     // what counts for the recursion limit
void set_recursion(PyThreadState* thread, int levels);
// What the call of a builtin such as exec adds to it.
constexpr int kBuiltinLevels = PY_VERSION_HEX < 0x030C0000 ? 1 : 0;

// --- up to 3.11: the eval-frame hook ---
// The evaluator of frames in this interpreter, its type and CPython's own.
#if PY_VERSION_HEX < 0x03090000
using Evaluator = PyObject* (*)(struct _frame*, int);
Evaluator evaluator();
void set_evaluator(Evaluator evaluator);
#else
using Evaluator = _PyFrameEvalFunction;
inline Evaluator evaluator() {
  return _PyInterpreterState_GetEvalFrameFunc(PyThreadState_Get()->interp);
}
inline void set_evaluator(Evaluator evaluator) {
  _PyInterpreterState_SetEvalFrameFunc(PyThreadState_Get()->interp, evaluator);
}
#endif

// --- from 3.12 on: sys.monitoring ---
// is_traced, or a tool other than our own listens to this code object.
bool is_watched(PyThreadState* thread, PyCodeObject* code);
// `tool` listens to the start of `code`.
bool listens(PyCodeObject* code, int tool);

// Keeps the pairs of instructions that 3.12 runs as one. CPython takes all of a code object apart
// when it puts an event anywhere in it, and leaves them so; that is needed where others listen.
class KeepPairs {
 public:
  explicit KeepPairs(PyCodeObject* code);
  ~KeepPairs();
  KeepPairs(const KeepPairs&) = delete;
  KeepPairs& operator=(const KeepPairs&) = delete;

 private:
  PyCodeObject* code_;
  std::vector<std::pair<Py_ssize_t, uint8_t>> pairs_;  // place, opcode
};

// While it lives, a callback is ordinary code: Python that it runs can be traced and meets
// callbacks itself.
class LeaveCallback {
 public:
  explicit LeaveCallback(PyThreadState* thread);
  ~LeaveCallback();
  LeaveCallback(const LeaveCallback&) = delete;
  LeaveCallback& operator=(const LeaveCallback&) = delete;

 private:
  static constexpr int kCallbackUnits = 1;  // what CPython counted for the call of the callback
  PyThreadState* thread_;
  int event_;
};

}  // namespace msjit::frames
