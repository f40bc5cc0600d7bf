/* The evaluator slot of CPython 3.8 lies in an internal structure whose header is C only. */
#define Py_BUILD_CORE
#include <Python.h>

#if PY_VERSION_HEX >= 0x03080000 && PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>

_PyFrameEvalFunction msjit_evaluator(void) { return PyThreadState_Get()->interp->eval_frame; }

void msjit_set_evaluator(_PyFrameEvalFunction evaluator) {
  PyThreadState_Get()->interp->eval_frame = evaluator;
}
#endif
