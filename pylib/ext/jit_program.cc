// Starts a program for `python -m msjit`, so that its stack, its warnings and its recursion limit
// are those of plain python.
#include <algorithm>
#include <vector>

#include "guards/py/host_call.h"
#include "interp_hook/frames/internals.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"

namespace msjit {
namespace {

// While it lives, Python code seems to run directly above the `kept` outermost frames. The frames
// in between are not seen and do not count against the recursion limit.
class ShortStack {
 public:
  explicit ShortStack(size_t kept) : thread_(PyThreadState_Get()) {
    std::vector<void*> stack;
    for (void* frame = frames::innermost(thread_); frame; frame = frames::below(frame))
      stack.push_back(frame);
    kept = std::min(kept, stack.size());
    hidden_ = frames::set_innermost(thread_, kept ? stack[stack.size() - kept] : nullptr);
    levels_ = frames::recursion(thread_);
    frames::set_recursion(thread_, kept ? static_cast<int>(kept) + frames::kBuiltinLevels : 0);
  }
  ~ShortStack() {
    frames::set_recursion(thread_, levels_);
    frames::set_innermost(thread_, hidden_);
  }
  ShortStack(const ShortStack&) = delete;
  ShortStack& operator=(const ShortStack&) = delete;

 private:
  PyThreadState* thread_;
  void* hidden_;
  int levels_;
};

// Does not use the builtin exec, which may take a level of recursion.
Ref run_program(PyObject*, const Args& args) {
  static const char* const names[] = {"code", "namespace", "kept", nullptr};
  PyObject* values[3];
  if (!parse_args(args, "run_program", names, 3, values)) return {};
  const long kept = PyLong_Check(values[2]) ? PyLong_AsLong(values[2]) : -1;
  if (!PyCode_Check(values[0]) || !PyDict_Check(values[1]) || kept < 0) {
    PyErr_Format(PyExc_TypeError, "[run_program] expected code, a dict and a count, got %s, %s, %s",
                 Py_TYPE(values[0])->tp_name, Py_TYPE(values[1])->tp_name,
                 Py_TYPE(values[2])->tp_name);
    return {};
  }
  if (!host::call(host::program, PyDict_GetItemString, values[1], "__builtins__") &&
      host::call(host::program, PyDict_SetItemString, values[1], "__builtins__",
                 PyEval_GetBuiltins()) < 0)
    return {};
  const ShortStack stack(static_cast<size_t>(kept));
  return Ref::steal(PyEval_EvalCode(values[0], values[1], values[1]));
}

Ref call_at_the_bottom(PyObject*, const Args& args) {
  if (args.count == 0) {
    PyErr_SetString(PyExc_TypeError, "[call_at_the_bottom] expected a callable, got nothing");
    return {};
  }
  const ShortStack stack(0);
  return host::call(host::program, compat::vectorcall, args.values[0], args.values + 1,
                    args.count - 1, args.names);
}

}  // namespace

PyMethodDef g_program_functions[] = {
    method<run_program>("run_program",
                        "run_program(code, namespace, kept): runs code of a module right above the "
                        "`kept` outermost frames"),
    method<call_at_the_bottom>("call_at_the_bottom",
                               "call_at_the_bottom(function, *args): calls it above no frame"),
    {nullptr}};

}  // namespace msjit
