// observe_main(observer): calls observer(code) once, when the code of the module `__main__` begins
// to run. A trace function in C waits for that and then removes itself, so it is installed only
// while the interpreter starts.
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"

namespace msjit {
namespace {

PyObject* g_main = nullptr;      // the namespace of __main__
PyObject* g_observer = nullptr;  // null: not waiting

Ref attribute(PyObject* object, const char* name) {
  return Ref::steal(host::call(host::program, PyObject_GetAttrString, object, name));
}

bool runs_main(PyObject* frame) { return attribute(frame, "f_globals").is(g_main); }

void observe(PyObject* frame) {
  const Ref observer = Ref::steal(std::exchange(g_observer, nullptr));
  const Ref code = attribute(frame, "f_code");
  PyObject* const seen[] = {code.get()};
  if (!code || !host::call(host::program, compat::vectorcall, observer.get(), seen, 1, nullptr))
    PyErr_WriteUnraisable(observer.get());
}

int on_event(PyObject*, struct _frame* frame, int event, PyObject*) noexcept {
  auto* running = reinterpret_cast<PyObject*>(frame);
  if (event != PyTrace_CALL || !g_observer || !runs_main(running)) return 0;
  PyEval_SetTrace(nullptr, nullptr);
  observe(running);
  return 0;
}

Ref observe_main(PyObject*, PyObject* observer) {
  PyObject* module = PyImport_AddModule("__main__");
  if (!module) return {};
  Ref::steal(std::exchange(g_main, new_reference(PyModule_GetDict(module)))).reset();
  Ref::steal(std::exchange(g_observer, new_reference(observer))).reset();
  // Without `site` (-S) the program may already be running.
  Ref frame = Ref::share(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame && !frame.is(Py_None)) {
    if (runs_main(frame.get())) return observe(frame.get()), Ref::none();
    frame = attribute(frame.get(), "f_back");
  }
  if (PyErr_Occurred()) return {};
  PyEval_SetTrace(on_event, nullptr);
  return Ref::none();
}

}  // namespace

PyMethodDef g_main_functions[] = {
    method1<observe_main>("observe_main",
                          "observe_main(observer): calls it with the code of __main__, which runs "
                          "or is about to"),
    {nullptr}};

}  // namespace msjit
