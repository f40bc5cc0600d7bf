// The type of the callable that jit(f) returns, and what the JIT adds to the module.
#include "pylib/ext/jit.h"

#include <structmember.h>

#include <cstring>

#include "bytecode/exec.h"
#include "guards/py/compat.h"
#include "guards/py/compat_layout.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "guards/py/tables.h"
#include "guards/py/tensor_class.h"
#include "interp_hook/hook.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/config.h"
#include "pylib/ext/jit_debug.h"
#include "pylib/ext/jit_function.h"

namespace msjit {
namespace {

// The level at which a function is judged when a compiled one calls it.
JitCallable::Level level_inlined(PyObject* object) {
  using Level = JitCallable::Level;
  const JitFunction* self = as_jit(object);
  if (self->mode != JitMode::kPSJit || self->level == SyntaxLevel::kLax) return Level::kCallers;
  return self->level == SyntaxLevel::kNone ? Level::kContexts : Level::kStrict;
}

PyObject* jit_call(PyObject* callable, PyObject* args, PyObject* keywords) noexcept {
  return compat::call_flat(jit_vectorcall, callable, args, keywords);
}

PyObject* jit_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"function", "mode", "fullgraph", nullptr};
  PyObject *function = nullptr, *whole = Py_None;
  const char* mode = "PIJit";
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|sO:JitFunction", const_cast<char**>(keywords),
                                   &PyFunction_Type, &function, &mode, &whole) ||
      !function)
    return nullptr;
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  JitFunction* self = as_jit(object);
  self->vectorcall = jit_vectorcall;
  self->function = new_reference(function);
  self->mode = std::strcmp(mode, "PSJit") == 0 ? JitMode::kPSJit : JitMode::kPIJit;
  self->whole = whole == Py_True;
  const bool judged = self->whole || PyUnicode_Check(whole);  // True, or "STRICT"
  self->level = judged                                              ? SyntaxLevel::kStrict
                : whole == Py_None && self->mode == JitMode::kPSJit ? SyntaxLevel::kNone
                                                                    : SyntaxLevel::kLax;
  refresh(self);
  if (PyErr_Occurred()) return drop_reference(object), nullptr;
  return object;
}

int jit_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  Py_VISIT(as_jit(object)->function);
  Py_VISIT(as_jit(object)->code);
  Py_VISIT(as_jit(object)->dict);
  return 0;
}

int jit_clear(PyObject* object) noexcept {
  Ref::steal(std::exchange(as_jit(object)->dict, nullptr)).reset();
  return 0;
}

void jit_dealloc(PyObject* object) noexcept {
  PyObject_GC_UnTrack(object);
  JitFunction* self = as_jit(object);
  if (self->weak) PyObject_ClearWeakRefs(object);
  Ref::steal(std::exchange(self->function, nullptr)).reset();
  Ref::steal(reinterpret_cast<PyObject*>(std::exchange(self->code, nullptr))).reset();
  Ref::steal(std::exchange(self->dict, nullptr)).reset();
  Py_TYPE(object)->tp_free(object);
}

PyObject* jit_get(PyObject* object, PyObject* instance, PyObject*) noexcept {
  if (!instance || instance == Py_None) return new_reference(object);
  return PyMethod_New(object, instance);
}

PyObject* jit_repr(PyObject* object) noexcept {
  return PyUnicode_FromFormat("<msjit.jit %R>", as_jit(object)->function);
}

// Names, documentation, defaults, annotations: those of the function.
PyObject* jit_getattro(PyObject* object, PyObject* name) noexcept {
  PyObject* found = host::call(host::program, PyObject_GenericGetAttr, object, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return host::call(host::program, PyObject_GetAttr, as_jit(object)->function, name);
}

PyObject* jit_doc(PyObject* object, void* name) noexcept {
  return host::call(host::program, PyObject_GetAttrString, as_jit(object)->function,
                    static_cast<const char*>(name));
}

PyMemberDef jit_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(JitFunction, function), READONLY, "the eager function"},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* jit_options(PyObject* object, void*) noexcept {
  const JitFunction* self = as_jit(object);
  const char* const mode = self->mode == JitMode::kPSJit ? "PSJit" : "PIJit";
  if (self->level == SyntaxLevel::kStrict && !self->whole)
    return Py_BuildValue("ss", mode, "STRICT");
  PyObject* const level = self->whole                         ? Py_True
                          : self->level == SyntaxLevel::kNone ? Py_None
                                                              : Py_False;
  return Py_BuildValue("sO", mode, level);
}

PyGetSetDef jit_getset[] = {
    {"__jit_options__", jit_options, nullptr,
     "the mode, and True where it is to be one graph, else its level", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__doc__", jit_doc, nullptr, nullptr, const_cast<char*>("__doc__")},
    {"__name__", jit_doc, nullptr, nullptr, const_cast<char*>("__name__")},
    {"__qualname__", jit_doc, nullptr, nullptr, const_cast<char*>("__qualname__")},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyGetSetDef jit_module = {"__module__", jit_doc, nullptr, nullptr, const_cast<char*>("__module__")};

PyType_Slot jit_slots[] = {{Py_tp_new, reinterpret_cast<void*>(entry<jit_new>)},
                           {Py_tp_dealloc, reinterpret_cast<void*>(jit_dealloc)},
                           {Py_tp_traverse, reinterpret_cast<void*>(jit_traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(jit_clear)},
                           {Py_tp_call, reinterpret_cast<void*>(jit_call)},
                           {Py_tp_descr_get, reinterpret_cast<void*>(jit_get)},
                           {Py_tp_getattro, reinterpret_cast<void*>(jit_getattro)},
                           {Py_tp_repr, reinterpret_cast<void*>(jit_repr)},
                           {Py_tp_members, jit_members},
                           {Py_tp_getset, jit_getset},
                           {0, nullptr}};

PyType_Spec jit_spec = {"msjit.JitFunction", sizeof(JitFunction), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, jit_slots};

// Sets what a spec cannot say up to 3.8: the offsets. There the name in the spec would also
// overwrite the __module__ of instances.
Ref make_jit_type() {
  Ref made = Ref::steal(PyType_FromSpec(&jit_spec));
  if (!made) return {};
  auto* type = reinterpret_cast<PyTypeObject*>(made.get());
  type->tp_dictoffset = offsetof(JitFunction, dict);
  type->tp_weaklistoffset = offsetof(JitFunction, weak);
  compat::enable_vectorcall(type, offsetof(JitFunction, vectorcall), false);
  const Ref module = Ref::steal(PyDescr_NewGetSet(type, &jit_module));
  if (!module || host::call(host::checked, PyDict_SetItemString, type->tp_dict, jit_module.name,
                            module.get()) < 0)
    return {};
  return made;
}

}  // namespace

PyCodeObject* code_of(PyObject* object) {
  if (PyMethod_Check(object)) object = PyMethod_GET_FUNCTION(object);
  if (Py_TYPE(object)->tp_descr_get == jit_get) object = as_jit(object)->function;
  if (PyFunction_Check(object)) return compat::function_code(object);
  if (PyCode_Check(object)) return reinterpret_cast<PyCodeObject*>(object);
  PyErr_Format(PyExc_TypeError, "[jit] expected a Python function, got %s",
               Py_TYPE(object)->tp_name);
  return nullptr;
}

bool add_jit(PyObject* module) {
  add_front_end();
  g_tensor_class_changed = drop_all_captures;
  g_default_device_changed = drop_all_captures;
  if (!reserve_decoded() || !reserve_code_states() || !hook::initialize()) {
    PyErr_Clear();
    return add_no_jit(module, "other users of code objects have taken all places for extra data");
  }
  if (PyModule_AddFunctions(module, g_settings_functions) < 0 ||
      PyModule_AddFunctions(module, g_front_end_functions) < 0 ||
      PyModule_AddFunctions(module, g_mark_functions) < 0 ||
      PyModule_AddFunctions(module, g_program_functions) < 0 ||
      PyModule_AddFunctions(module, g_main_functions) < 0 ||
      PyModule_AddFunctions(module, g_export_functions) < 0)
    return false;
  // Values that are computed once and cached. Guard checks read them later and must not allocate.
  default_dict_type();
  compat::has_only_string_keys(PyModule_GetDict(module));
  QuietCollector().begin();
  Ref type = make_jit_type();
  if (!type) return false;
  g_jit_callable = {
      reinterpret_cast<PyTypeObject*>(Ref(type).release()),  // lives as long as the module
      [](PyObject* object) { return as_jit(object)->function; }, level_inlined};
  if (compat::add_object(module, "JitFunction", std::move(type)) < 0) return false;
  if (!add_debug_module(module)) return false;
  return compat::add_object(module, "has_jit", Ref::share(Py_True)) == 0;
}

}  // namespace msjit
