/* The part of CPython 3.12's interpreter state that its headers show to C alone. */
#define Py_BUILD_CORE
#include <Python.h>
#undef _PyGC_FINALIZED
#include <internal/pycore_interp.h>

/* Bits of the monitoring tools that listen to the whole interpreter. */
unsigned msjit_global_tools(PyThreadState* thread) {
  unsigned tools = 0;
  for (int event = 0; event < _PY_MONITORING_UNGROUPED_EVENTS; event++)
    tools |= thread->interp->monitors.tools[event];
  return tools;
}
