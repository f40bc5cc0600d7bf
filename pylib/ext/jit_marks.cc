// Which code objects the bytecode JIT captures: marks on single ones, and on all functions below
// the code of a module.
#include <memory>
#include <vector>

#include "bytecode/counters.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "guards/py/text.h"
#include "interp_hook/driver.h"
#include "interp_hook/hook.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"

namespace msjit {
namespace {

// The transparent modes install the hook only while tensors exist. Without any there is nothing to
// capture.
void arm_for_tensors(bool any) {
  static std::unique_ptr<HookArm>& arm = *new std::unique_ptr<HookArm>;
  if (any != bool(arm)) arm.reset(any ? new HookArm : nullptr);
}

bool mark_transparently(PyCodeObject* code) {
  if (!hook::mark(code, drive_frame)) return false;
  g_tensor_presence.changed = arm_for_tensors;
  arm_for_tensors(g_tensor_presence.count > 0);
  return true;
}

Ref mark_code(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  return code && mark_transparently(code) ? Ref::none() : Ref();
}

Ref unmark_code(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  return code && hook::mark(code, nullptr) ? Ref::none() : Ref();
}

// Unlike an unmarked code object, a skipped one is not marked again when it breaks the region of a
// captured caller.
Ref skip_code(PyObject*, PyObject* object) {
  PyCodeObject* code = code_of(object);
  return code && hook::mark(code, leave_frame) ? Ref::none() : Ref();
}

// Whether the code is a function's, not a module's or class body's. CPython runs generators and
// coroutines.
bool is_candidate(const PyCodeObject* code) {
  constexpr int kFunction = CO_OPTIMIZED | CO_NEWLOCALS;
  constexpr int kGenerator =
      CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE;
  return (code->co_flags & kFunction) == kFunction && !(code->co_flags & kGenerator);
}

// `object` and the code among its constants, however deep.
std::vector<PyCodeObject*> candidates_below(PyObject* object) {
  std::vector<PyCodeObject*> found, pending;
  if (PyCodeObject* code = code_of(object)) pending.push_back(code);
  while (!pending.empty()) {
    PyCodeObject* code = pending.back();
    pending.pop_back();
    if (is_candidate(code)) found.push_back(code);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i)
      if (PyObject* item = PyTuple_GET_ITEM(code->co_consts, i); PyCode_Check(item))
        pending.push_back(reinterpret_cast<PyCodeObject*>(item));
  }
  return found;
}

// Whether a function can get at a tensor: it takes arguments, is a closure, or uses a name that is
// no built-in class. Other code is not marked, because a mark can be noticed: 3.13 refuses to run
// code with extra data in another interpreter.
bool may_meet_tensors(const PyCodeObject* code) {
  const bool takes_some = code->co_argcount || code->co_kwonlyargcount ||
                          (code->co_flags & (CO_VARARGS | CO_VARKEYWORDS));
  if (takes_some || PyCode_GetNumFree(const_cast<PyCodeObject*>(code))) return true;
  PyObject* const builtins = PyEval_GetBuiltins();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    const char* const name = utf8_text(PyTuple_GET_ITEM(code->co_names, i));
    PyObject* const found = name ? host::find_name(builtins, name) : nullptr;
    if (!name) PyErr_Clear();
    if (!found || !PyType_Check(found)) return true;
  }
  return false;
}

Ref function_codes(PyObject*, PyObject* object) {
  const Ref list = Ref::steal(PyList_New(0));
  for (PyCodeObject* code : candidates_below(object))
    if (!list || PyList_Append(list.get(), reinterpret_cast<PyObject*>(code)) < 0) return {};
  return PyErr_Occurred() ? Ref() : list;
}

Ref mark_functions(PyObject*, PyObject* object) {
  size_t marked = 0;
  for (PyCodeObject* code : candidates_below(object)) {
    if (!may_meet_tensors(code)) continue;
    if (!mark_transparently(code)) return {};
    ++marked;
  }
  return PyErr_Occurred() ? Ref() : Ref::steal(PyLong_FromSize_t(marked));
}

Ref count_in(PyObject*, PyObject* args) {
  PyTypeObject* type = nullptr;
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "O!U:count_in", &PyType_Type, &type, &name)) return {};
  add_counter(type, name);
  return Ref::none();
}

}  // namespace

PyMethodDef g_mark_functions[] = {
    method1<mark_code>("mark_code", "captures later calls of a function or code object"),
    method1<unmark_code>("unmark_code", "leaves a function or code object to the interpreter"),
    method1<skip_code>("skip_code", "leaves a function or code object to the interpreter for good"),
    method1<function_codes>("function_codes",
                            "the code objects of functions below one, itself included"),
    method1<mark_functions>(
        "mark_functions", "mark_code on those of them that tensors can come to; how many they are"),
    {"count_in", entry<count_in>, METH_VARARGS,
     "says that instances of a class count in an attribute: its int changes from call to call"},
    {nullptr}};

}  // namespace msjit
