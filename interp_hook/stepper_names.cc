// Globals, builtins and closure variables. A name that is not there is CPython's to report.
#include "interp_hook/stepper_ops.h"

namespace msjit {

Step step_load_global(const Stepping& s) {
  PyObject* globals = s.frame.globals().get();
  PyObject* builtins = s.frame.builtins().get();
  if (!PyDict_CheckExact(globals) || !PyDict_CheckExact(builtins)) return s.hand_over();
  PyObject* value = PyDict_GetItemWithError(globals, s.name());
  if (!value && !PyErr_Occurred()) value = PyDict_GetItemWithError(builtins, s.name());
  if (value) return s.push(Ref::share(value));
  return PyErr_Occurred() ? s.raised() : s.hand_over();
}

Step step_store_global(const Stepping& s) {
  const Ref value = s.frame.pop();
  return s.done(PyDict_SetItem(s.frame.globals().get(), s.name(), value.get()));
}

Step step_delete_global(const Stepping& s) {
  PyObject* globals = s.frame.globals().get();
  if (!PyDict_GetItemWithError(globals, s.name()))
    return PyErr_Occurred() ? s.raised() : s.hand_over();
  return s.done(PyDict_DelItem(globals, s.name()));
}

Step step_deref(const Stepping& s) {
  PyObject* cell = s.frame.local(s.instr.arg).get();
  if (!cell || !PyCell_Check(cell)) return s.hand_over();
  if (s.instr.op == Op::kLoadClosure) return s.push(Ref::share(cell));
  if (s.instr.op == Op::kStoreDeref) {
    const Ref value = s.frame.pop();
    return s.done(PyCell_Set(cell, value.get()));
  }
  if (!PyCell_GET(cell)) return s.hand_over();
  if (s.instr.op == Op::kDeleteDeref) return s.done(PyCell_Set(cell, nullptr));
  return s.push(Ref::share(PyCell_GET(cell)));
}

Step step_load_build_class(const Stepping& s) {
  PyObject* builtins = s.frame.builtins().get();
  if (!PyDict_CheckExact(builtins)) return s.hand_over();
  PyObject* value = PyDict_GetItemString(builtins, "__build_class__");
  return value ? s.push(Ref::share(value)) : s.hand_over();
}

}  // namespace msjit
