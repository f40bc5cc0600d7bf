// What evaluator_door.cc, monitoring_door.cc and the stepper need to know about frames besides
// FrameView, implemented by the one frames/py3XX.cc that is compiled.
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
void* set_innermost(PyThreadState* thread, void* frame);  // returns the frame before
void* below(void* frame);                                 // the caller; null at the bottom
int recursion(PyThreadState* thread);                     // levels counted for the recursion limit
void set_recursion(PyThreadState* thread, int levels);
// Levels that the call of a builtin such as exec adds.
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
// Whether is_traced(), or a tool other than our own listens to this code object.
bool is_watched(PyThreadState* thread, PyCodeObject* code);
// Whether `tool` listens to PY_START of `code`.
bool listens(PyCodeObject* code, int tool);

// Restores the super-instructions of 3.12, which do two instructions as one. When CPython puts an
// event anywhere in a code object it splits all of them, for good. The destructor joins them again,
// unless another tool listens to the code, which needs them split.
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

// While it lives, CPython does not regard the callback that runs as one: Python code called from it
// can be traced and gets callbacks itself.
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
