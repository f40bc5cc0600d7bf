// The extension module `msjit._msjit`: types, dtypes, operators, gradients, statistics, and the
// bytecode JIT where there is one.
#include "codegen/backend.h"
#include "codegen/compile_queue.h"
#include "codegen/region.h"
#include "graph/control.h"
#include "guards/py/gil.h"
#include "guards/py/host_call.h"
#include "interp_hook/entry.h"
#include "kernels/core/registry.h"
#include "pylib/ext/auto_cast.h"
#include "pylib/ext/autograd.h"
#include "pylib/ext/config.h"
#include "pylib/ext/custom_gradient.h"
#include "pylib/ext/images.h"
#include "pylib/ext/import_finder.h"
#include "pylib/ext/jit.h"
#include "pylib/ext/processes.h"
#include "pylib/ext/tensor.h"

namespace msjit {

namespace {

// register_method(type, name, value): sets an attribute on a type of this module. Python code
// cannot do that, as the types are static.
Ref register_method(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"type", "name", "value", nullptr};
  PyObject* a[3];
  if (!parse_args(args, "register_method", kNames, 3, a)) return {};
  if (a[0] != reinterpret_cast<PyObject*>(&g_tensor_type) &&
      a[0] != reinterpret_cast<PyObject*>(&g_dtype_type))
    return Ref::steal(raise(
        *type_error("[register_method] type, got {}, expected Tensor or dtype", type_name(a[0]))));
  auto* type = reinterpret_cast<PyTypeObject*>(a[0]);
  if (host::call(host::checked, PyDict_SetItem, type->tp_dict, a[1], a[2]) < 0) return {};
  PyType_Modified(type);
  return Ref::none();
}

Ref op_table_function(PyObject*) { return op_table(); }

Ref set_initializer(PyObject*, PyObject* function) {
  Ref old = Ref::steal(g_tensor_initializer);
  g_tensor_initializer = new_reference(function);
  return Ref::none();
}

// Unpickles a tensor: the inverse of reduce() in tensor_methods.cc.
Ref rebuild_tensor(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"type", "dtype",         "shape",
                                           "data", "requires_grad", nullptr};
  PyObject* a[5];
  DType dtype;
  IntList dims;
  if (!parse_args(args, "rebuild_tensor", kNames, 5, a) ||
      !dtype_from_object(a[1], "rebuild_tensor", &dtype) ||
      !ints_from_object(a[2], "rebuild_tensor", "shape", &dims))
    return {};
  if (!PyType_Check(a[0]) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(a[0]), &g_tensor_type) ||
      dims.size() > kMaxRank)
    return Ref::steal(raise(*type_error(
        "[rebuild_tensor] type, got {}, expected Tensor or a subclass", type_name(a[0]))));
  auto made = Tensor::empty(dtype, Shape(std::span<const int64_t>(dims)));
  if (!made.ok()) return Ref::steal(raise(made.error()));
  Tensor& data = made.value();
  if (!PyBytes_Check(a[3]) || PyBytes_GET_SIZE(a[3]) != data.nbytes())
    return Ref::steal(raise(*value_error("[rebuild_tensor] data, got {}, expected {} bytes",
                                         type_name(a[3]), data.nbytes())));
  if (data.nbytes())
    std::memcpy(data.data(), PyBytes_AS_STRING(a[3]), static_cast<size_t>(data.nbytes()));
  if (!place_on_default_device(&data)) return {};
  auto* type = reinterpret_cast<PyTypeObject*>(a[0]);
  Ref empty = Ref::steal(PyTuple_New(0));
  Ref self =
      empty
          ? Ref::steal(host::call(host::checked, g_tensor_type.tp_new, type, empty.get(), nullptr))
          : Ref();
  if (!self) return {};
  replace_contents(self.get(), data);
  bool tracked = false;
  if (!truth_from_object(a[4], false, &tracked)) return {};
  if (tracked &&
      host::call(host::program, PyObject_SetAttrString, self.get(), "requires_grad", Py_True) < 0)
    return {};
  return self;
}

// Lets Python code refuse sub-interpreters. CPython gives them the loaded module without asking it.
Ref in_main_interpreter(PyObject*) {
  const bool main = PyThreadState_Get()->interp == PyInterpreterState_Main();
  return Ref::share(main ? Py_True : Py_False);
}

PyMethodDef g_functions[] = {
    method0<in_main_interpreter>("in_main_interpreter", nullptr),
    method<register_method>(
        "register_method",
        "register_method(type, name, value)\n--\n\nPuts an attribute on Tensor."),
    method0<op_table_function>("op_table",
                               "op_table()\n--\n\nWhat the registry knows of every operator."),
    method1<set_initializer>(
        "set_tensor_initializer",
        "set_tensor_initializer(function)\n--\n\nCalled as function(shape, dtype, init)."),
    method1<from_numpy>("from_numpy",
                        "from_numpy(array)\n--\n\nA tensor sharing the array's memory."),
    method1<from_dlpack>("from_dlpack", "from_dlpack(x)\n--\n\nA tensor sharing the memory of x."),
    method<rebuild_tensor>("_rebuild_tensor", nullptr),
    {nullptr}};

bool add_dtypes(PyObject* module) {
  Ref by_name = Ref::steal(PyDict_New());
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    std::string name(dtype == DType::kBool ? "bool_" : dtype_name(dtype));
    if (compat::add_object(module, name.c_str(), Ref::share(dtype_object(dtype))) < 0) return false;
    if (!by_name || host::call(host::checked, PyDict_SetItemString, by_name.get(),
                               std::string(dtype_name(dtype)).c_str(), dtype_object(dtype)) < 0)
      return false;
  }
  return compat::add_object(module, "dtypes", std::move(by_name)) == 0;
}

// `x.sum(axis)`: ops on a tensor x are methods too, by the same callable, unless the name is taken.
bool add_method(const OpDef& op, const Ref& callable) {
  const auto& params = op.signature.params;
  if (params.empty() || params[0].kind != ParamKind::kTensor || params[0].name != "x") return true;
  PyObject* dict = g_tensor_type.tp_dict;
  return host::call(host::checked, PyDict_GetItemString, dict, op.name) ||
         host::call(host::checked, PyDict_SetItemString, dict, op.name, callable.get()) == 0;
}

// The submodule `ops`, one callable an operator.
bool add_ops(PyObject* module) {
  Ref ops = Ref::steal(PyModule_New("msjit._msjit.ops"));
  for (const OpDef* op : all_ops()) {
    Ref callable = op_object(*op);
    if (!ops || !callable || !add_method(*op, callable)) return false;
    if (compat::add_object(ops.get(), op->name, std::move(callable)) < 0) return false;
  }
  PyType_Modified(&g_tensor_type);
  return compat::add_object(module, "ops", std::move(ops)) == 0;
}

bool add_types(PyObject* module) {
  if (!ready_dtype_type() || !ready_op_type() || !ready_tensor_meta() || !ready_tensor_type())
    return false;
  Ref compile_error = Ref::steal(PyErr_NewExceptionWithDoc(
      "msjit.CompileError", "A function that was to be captured whole cannot be.",
      PyExc_RuntimeError, nullptr));
  if (!compile_error || compat::add_object(module, "CompileError", std::move(compile_error)) < 0)
    return false;
  g_internal_error =
      PyErr_NewExceptionWithDoc("msjit.InternalError", "A fault of msjit itself; please report it.",
                                PyExc_RuntimeError, nullptr);
  return g_internal_error &&
         compat::add_object(module, "InternalError", Ref::share(g_internal_error)) == 0 &&
         compat::add_object(module, "Tensor",
                            Ref::share(reinterpret_cast<PyObject*>(&g_tensor_type))) == 0 &&
         compat::add_object(module, "DType",
                            Ref::share(reinterpret_cast<PyObject*>(&g_dtype_type))) == 0 &&
         compat::add_object(module, "Op", Ref::share(reinterpret_cast<PyObject*>(&g_op_type))) == 0;
}

PyModuleDef g_module = {PyModuleDef_HEAD_INIT, "msjit._msjit", "The compiled half of msjit.", -1,
                        g_functions};

// Called by compiled loops between turns, and behind calls of other processes: runs signal handlers
// and lets other threads run, as the interpreter does at a jump back. True: the loop has to stop.
bool loop_interrupted() {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool stop = loop_turn([] {
    const bool raised = PyErr_CheckSignals() < 0;
    if (!raised) PyEval_RestoreThread(PyEval_SaveThread());
    return raised;
  });
  PyGILState_Release(state);
  return stop;
}

// Whether there are other threads of Python, which run while this one gives up the GIL. Its caller
// holds the GIL.
bool others_run() {
  return PyThreadState_Next(PyInterpreterState_ThreadHead(PyThreadState_Get()->interp)) != nullptr;
}

// Called on the compile thread. Only the main thread may give warnings, so this adds a pending
// call.
void warn_without_backend(const char* reason) {
  static const auto* text = new std::string(fmt::format(
      "msjit runs graphs operator by operator, for LLVM 19 cannot be loaded ({}); on Debian and "
      "Ubuntu `apt install libllvm19` brings it",
      reason));
  const auto warn = [](void*) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text->c_str(), 1) < 0) PyErr_WriteUnraisable(nullptr);
    return 0;
  };
  (void)Py_AddPendingCall(warn, nullptr);
}

Ref make_module() {
  Ref module = Ref::steal(PyModule_Create(&g_module));
  if (!module || PyModule_AddFunctions(module.get(), g_autograd_functions) < 0 ||
      PyModule_AddFunctions(module.get(), g_custom_gradient_functions) < 0 ||
      PyModule_AddFunctions(module.get(), g_saved_hooks_functions) < 0 ||
      PyModule_AddFunctions(module.get(), g_auto_cast_functions) < 0 ||
      PyModule_AddFunctions(module.get(), g_config_functions) < 0 || !add_processes(module.get()) ||
      !add_images(module.get()))
    return {};
  if (!add_types(module.get()) || !add_dtypes(module.get()) || !add_ops(module.get()) ||
      !add_import_finder(module.get()) || !add_jit(module.get()))
    return {};
  // If the table of Py_AtExit is full, the C library's exit handlers stop the compiler, later.
  (void)Py_AtExit(compile_queue_stop);
  on_backend_missing(warn_without_backend);
  g_loop_interrupted = loop_interrupted;
  g_others_run = others_run;
  g_call_waited = loop_interrupted;
  g_without_lock = [](void (*work)(void*), void* data) {
    if (!PyGILState_Check()) return work(data);  // an op in a region that runs without it
    const GilRelease released;
    work(data);
  };
  return module;
}

}  // namespace
}  // namespace msjit

PyMODINIT_FUNC PyInit__msjit() { return msjit::entry<msjit::make_module>(); }
