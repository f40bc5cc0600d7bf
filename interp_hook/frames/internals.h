// What hook.cc and the stepper need to know about frames besides FrameView, implemented by the one
// frames/py3XX.cc that is compiled.
#pragma once

#include <Python.h>

namespace msjit::frames {

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

// True where an installed hook costs other calls nothing, so that it may stay.
extern const bool kHookIsFree;

PyCodeObject* code_of(void* frame);
// A tracer or profiler watches this thread.
bool is_traced(PyThreadState* thread);

}  // namespace msjit::frames
