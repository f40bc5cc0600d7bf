// Calls, imports and entering a `with` block.
#include "guards/py/compat.h"
#include "interp_hook/stepper_ops.h"

namespace msjit {

Step step_call(const Stepping& s) {
  const Instr& call = s.instr;
  const int used = pops(call);
  const Operands slots(s.frame, used);
  const CallSlots at = call_slots(call, [&](int k) { return !slots[k]; });
  PyObject* names = call.aux == kNamesNone      ? nullptr
                    : call.aux == kNamesOnStack ? slots[used - 1]
                                                : s.code.constant(call.aux).get();
  if (names &&
      (!PyTuple_CheckExact(names) || PyTuple_GET_SIZE(names) > call.arg || !slots[at.callable]))
    return s.hand_over();  // no compiler's code
  const size_t positional = size_t(at.count) - size_t(names ? PyTuple_GET_SIZE(names) : 0);
  const compat::LevelCall level(slots[at.callable]);
  // The slot below the first argument belongs to this call, so the callee may borrow it.
  Ref result = compat::vectorcall(slots[at.callable], slots.data() + at.first,
                                  positional | compat::kArgumentsOffset, names);
  s.frame.drop(used);
  return s.push(std::move(result));
}

Step step_call_ex(const Stepping& s) {
  const int used = pops(s.instr);
  const Operands slots(s.frame, used);
  const CallSlots at = call_slots(s.instr, [&](int k) { return !slots[k]; });
  PyObject* args = slots[at.first];
  PyObject* keywords = s.instr.arg ? slots[at.first + 1] : nullptr;
  // The compiler merges keywords into a plain dict; anything else is CPython's to complain about.
  if (at.count != 1 + s.instr.arg || (keywords && !PyDict_CheckExact(keywords)))
    return s.hand_over();
  if (!PyTuple_CheckExact(args) && !Py_TYPE(args)->tp_iter && !PySequence_Check(args))
    return s.hand_over();
  const Ref tuple =
      PyTuple_CheckExact(args) ? Ref::share(args) : Ref::steal(PySequence_Tuple(args));
  Ref result = tuple ? outlive_interpreter([&] {
    return Ref::steal(PyObject_Call(slots[at.callable], tuple.get(), keywords));
  })
                     : Ref();
  s.frame.drop(used);
  return s.push(std::move(result));
}

Step step_print_expr(const Stepping& s) {
  PyObject* const hook = PySys_GetObject("displayhook");
  if (!hook) return s.hand_over();
  const Ref called = Ref::share(hook), value = s.frame.pop();
  PyObject* const args[] = {value.get()};
  return s.done(compat::vectorcall(called.get(), args, 1, nullptr) ? 0 : -1);
}

Step step_import_name(const Stepping& s) {
  PyObject* builtins = s.frame.builtins().get();
  PyObject* found =
      PyDict_CheckExact(builtins) ? PyDict_GetItemString(builtins, "__import__") : nullptr;
  if (!found) return s.hand_over();
  const Ref import = Ref::share(found);
  const Ref from_list = s.frame.pop();
  const Ref level = s.frame.pop();
  const Borrowed names = s.frame.names();
  PyObject* const args[] = {s.name(), s.frame.globals().get(), names ? names.get() : Py_None,
                            from_list.get(), level.get()};
  return s.push(compat::vectorcall(import.get(), args, 5, nullptr));
}

Step step_import_from(const Stepping& s) {
  PyObject* module = s.frame.peek(1).get();
  Ref value = Ref::steal(PyObject_GetAttr(module, s.name()));
  if (value) return s.push(std::move(value));
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return s.raised();
  PyErr_Clear();
  // A circular import: the submodule is loaded but not yet an attribute of its package.
  const Ref package = Ref::steal(PyObject_GetAttrString(module, "__name__"));
  if (package && PyUnicode_Check(package.get())) {
    const Ref full = Ref::steal(PyUnicode_FromFormat("%U.%U", package.get(), s.name()));
    if (!full) return s.raised();
    value = Ref::steal(PyImport_GetModule(full.get()));
    if (value) return s.push(std::move(value));
    if (PyErr_Occurred()) return s.raised();
  }
  PyErr_Clear();
  return s.hand_over();
}

namespace {

// Binds a special method found on the type the way the interpreter looks it up.
Ref bind(PyObject* descriptor, PyObject* self) {
  const descrgetfunc get = Py_TYPE(descriptor)->tp_descr_get;
  return get ? Ref::steal(get(descriptor, self, (PyObject*)Py_TYPE(self))) : Ref::share(descriptor);
}

PyObject* interned(const char* name) { return PyUnicode_InternFromString(name); }

}  // namespace

Step step_before_with(const Stepping& s) {
  static PyObject* const enter_name = interned("__enter__");
  static PyObject* const exit_name = interned("__exit__");
  const Ref manager = Ref::share(s.frame.peek(1));
  const Ref enter_found = Ref::share(_PyType_Lookup(Py_TYPE(manager.get()), enter_name));
  const Ref exit_found = Ref::share(_PyType_Lookup(Py_TYPE(manager.get()), exit_name));
  if (!enter_found || !exit_found) return s.hand_over();
  const Ref enter = bind(enter_found.get(), manager.get());
  if (!enter) return s.raised();
  Ref exit = bind(exit_found.get(), manager.get());
  if (!exit) return s.raised();
  s.frame.drop(1);
  s.frame.push(std::move(exit));
  return s.push(compat::vectorcall(enter.get(), nullptr, 0, nullptr));
}

Step step_load_special(const Stepping& s) {
  static PyObject* const names[] = {interned("__enter__"), interned("__exit__")};
  const Ref manager = Ref::share(s.frame.peek(1));
  const Ref found = Ref::share(_PyType_Lookup(Py_TYPE(manager.get()), names[s.instr.arg]));
  if (!found) return s.hand_over();
  Ref method = bind(found.get(), manager.get());
  if (!method) return s.raised();
  s.frame.drop(1);
  s.frame.push(std::move(method));
  s.frame.push({});
  return s.next();
}

}  // namespace msjit
