// Takes the place of the bytecode JIT where it cannot work: the module says so and why, and its
// statistics are those of eager execution.
#include "kernels/eager/eager_sink.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"

namespace msjit {
namespace {

Ref stats(PyObject*) {
  return Ref::steal(Py_BuildValue("{s:L}", "eager_ops", static_cast<long long>(eager_op_count())));
}
Ref reset(PyObject*) {
  reset_eager_op_count();
  return Ref::none();
}
Ref config(PyObject*) { return Ref::steal(PyDict_New()); }
Ref explain_json(PyObject*) { return Ref::steal(PyList_New(0)); }

PyMethodDef g_functions[] = {
    method0<stats>("stats", "stats()\n--\n\nTotals since the start or the last reset."),
    method0<reset>("reset", "reset()\n--\n\nSets the counters to zero."),
    method0<config>("config", "config()\n--\n\nThe limits of the bytecode JIT: none here."),
    method0<explain_json>("explain_json", "explain_json()\n--\n\nWhat was captured: nothing here."),
    {nullptr}};

}  // namespace

bool add_no_jit(PyObject* module, const char* reason) {
  return PyModule_AddFunctions(module, g_functions) == 0 &&
         compat::add_object(module, "has_jit", Ref::share(Py_False)) == 0 &&
         compat::add_object(module, "no_jit_reason", text_object(reason)) == 0;
}

#ifdef MSJIT_NO_JIT
void pause_captures(bool) {}

bool add_jit(PyObject* module) {
  return add_no_jit(module, "the bytecode JIT is not built for this version of CPython");
}
#endif

}  // namespace msjit
