// Globals, builtins, closure variables and the names of class bodies. A missing name is left to
// CPython, which raises.
#include <fmt/core.h>

#include "bytecode/exec.h"
#include "bytecode/stepping.h"
#include "guards/py/host_call.h"

namespace msjit {

bool exec_LoadGlobal(Executor& x, SymFrame& f, const Instr& i) {
  PyObject* name = f.code->name(i.arg).get();
  x.heap().error.clear();
  SymRef value = x.heap().global(f.globals.get(), f.globals_source, f.builtins.get(), name);
  if (!value && !x.heap().error.empty()) return x.fail(BreakReason::kObjectType, x.heap().error);
  if (!value) return x.fail(BreakReason::kUnboundName, utf8_text(name));
  f.push(std::move(value));
  return true;
}

bool exec_StoreGlobal(Executor& x, SymFrame& f, const Instr& i) {
  PyObject* name = f.code->name(i.arg).get();
  if (!x.heap().set_global(f.globals.get(), f.globals_source, name, f.pop()))
    return x.fail(BreakReason::kStoreGlobal, utf8_text(name));
  return true;
}

bool exec_DeleteGlobal(Executor& x, SymFrame& f, const Instr& i) {
  PyObject* name = f.code->name(i.arg).get();
  if (!x.heap().is_global(f.globals.get(), f.globals_source, name) ||
      !x.heap().set_global(f.globals.get(), f.globals_source, name, null_sym()))
    return x.fail(BreakReason::kStoreGlobal, fmt::format("{} (del)", utf8_text(name)));
  return true;
}

bool exec_LoadClosure(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (cell->is_null()) return x.fail(BreakReason::kInternal, "a missing cell");
  f.push(std::move(cell));
  return true;
}

bool exec_LoadDeref(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (!x.look(cell)) return false;
  SymRef value = cell->kind == SymKind::kCell ? x.heap().cell_contents(cell) : nullptr;
  if (!value || value->is_null())
    return x.fail(BreakReason::kUnboundName, utf8_text(f.code->slot_name(i.arg).get()));
  f.push(std::move(value));
  return true;
}

bool exec_StoreDeref(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (!x.look(cell)) return false;
  if (cell->kind != SymKind::kCell)
    return x.fail(BreakReason::kInternal, "store to a missing cell");
  cell->items = {f.pop()};
  note_change(cell);
  return true;
}

bool exec_DeleteDeref(Executor& x, SymFrame& f, const Instr& i) {
  SymRef cell = x.slot(f, i.arg);
  if (!x.look(cell)) return false;
  const SymRef value = cell->kind == SymKind::kCell ? x.heap().cell_contents(cell) : nullptr;
  if (!value || value->is_null())
    return x.fail(BreakReason::kUnboundName, utf8_text(f.code->slot_name(i.arg).get()));
  cell->items = {null_sym()};
  note_change(cell);
  return true;
}

Step step_load_global(const Stepping& s) {
  PyObject* globals = s.frame.globals().get();
  PyObject* builtins = s.frame.builtins().get();
  if (!PyDict_CheckExact(globals) || !PyDict_CheckExact(builtins)) return s.hand_over();
  PyObject* value = host::call(host::program, PyDict_GetItemWithError, globals, s.name());
  if (!value && !PyErr_Occurred())
    value = host::call(host::program, PyDict_GetItemWithError, builtins, s.name());
  if (value) return s.push(Ref::share(value));
  return PyErr_Occurred() ? s.raised() : s.hand_over();
}

Step step_store_global(const Stepping& s) {
  const Ref value = s.frame.pop();
  return s.done(
      host::call(host::program, PyDict_SetItem, s.frame.globals().get(), s.name(), value.get()));
}

Step step_delete_global(const Stepping& s) {
  PyObject* globals = s.frame.globals().get();
  if (!host::call(host::program, PyDict_GetItemWithError, globals, s.name()))
    return PyErr_Occurred() ? s.raised() : s.hand_over();
  return s.done(host::call(host::program, PyDict_DelItem, globals, s.name()));
}

Step step_deref(const Stepping& s) {
  PyObject* cell = s.frame.local(s.instr.arg).get();
  if (!cell || !PyCell_Check(cell)) return s.hand_over();
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
  PyObject* value = host::call(host::program, PyDict_GetItemString, builtins, "__build_class__");
  return value ? s.push(Ref::share(value)) : s.hand_over();
}

namespace {

// A global or a builtin; null without an exception when there is none.
PyObject* find_global(const Stepping& s, PyObject* name) {
  PyObject* value =
      host::call(host::program, PyDict_GetItemWithError, s.frame.globals().get(), name);
  if (!value && !PyErr_Occurred())
    value = host::call(host::program, PyDict_GetItemWithError, s.frame.builtins().get(), name);
  return value;
}

Step load_class_deref(const Stepping& s, PyObject* names) {
  PyObject* value = host::call(host::program, PyDict_GetItemWithError, names,
                               s.code.slot_name(s.instr.arg).get());
  PyObject* cell = s.frame.local(s.instr.arg).get();
  if (!value && !PyErr_Occurred() && cell && PyCell_Check(cell)) value = PyCell_GET(cell);
  if (value) return s.push(Ref::share(value));
  return PyErr_Occurred() ? s.raised() : s.hand_over();
}

}  // namespace

// Names of class and module bodies. Namespaces that are no plain dicts are left to CPython.
Step step_name(const Stepping& s) {
  PyObject* names = s.frame.names().get();
  if (!names || !PyDict_CheckExact(names) || !PyDict_CheckExact(s.frame.globals().get()) ||
      !PyDict_CheckExact(s.frame.builtins().get()))
    return s.hand_over();
  if (s.instr.op == Op::kLoadClassDeref) return load_class_deref(s, names);
  if (s.instr.op == Op::kStoreName) {
    const Ref value = s.frame.pop();
    return s.done(host::call(host::program, PyDict_SetItem, names, s.name(), value.get()));
  }
  PyObject* value = host::call(host::program, PyDict_GetItemWithError, names, s.name());
  if (s.instr.op == Op::kDeleteName && value)
    return s.done(host::call(host::program, PyDict_DelItem, names, s.name()));
  if (s.instr.op == Op::kLoadName && !value && !PyErr_Occurred()) value = find_global(s, s.name());
  if (PyErr_Occurred()) return s.raised();
  if (!value || s.instr.op == Op::kDeleteName) return s.hand_over();
  return s.push(Ref::share(value));
}

Step step_setup_annotations(const Stepping& s) {
  PyObject* names = s.frame.names().get();
  if (!names || !PyDict_CheckExact(names)) return s.hand_over();
  if (host::call(host::program, PyDict_GetItemString, names, "__annotations__")) return s.next();
  const Ref fresh = Ref::steal(PyDict_New());
  return s.done(
      fresh ? host::call(host::program, PyDict_SetItemString, names, "__annotations__", fresh.get())
            : -1);
}

}  // namespace msjit
