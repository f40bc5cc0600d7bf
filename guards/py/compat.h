// Names of the C API that differ between CPython 3.7 and 3.14. The layouts of objects are in
// compat_layout.h, frames in interp_hook/frames, bytecode in bytecode/versions.
#pragma once

#include <vector>

#include "guards/py/c_stack.h"
#include "guards/py/gil.h"
#include "guards/py/host_call.h"
#include "guards/py/ref.h"

#if PY_VERSION_HEX < 0x03070000 || PY_VERSION_HEX >= 0x030F0000 || defined Py_GIL_DISABLED
#error "msjit supports CPython 3.7 to 3.14, with the GIL"
#endif

#if PY_VERSION_HEX >= 0x030D0000
extern "C" int _PySet_Update(PyObject* set, PyObject* iterable);  // its header is internal now
#endif

namespace msjit::compat {

// --- calls ---------------------------------------------------------------------------------------
#if PY_VERSION_HEX >= 0x03080000
inline constexpr bool kHasVectorcall = true;
#if PY_VERSION_HEX < 0x03090000
inline constexpr unsigned long kVectorcallFlag = _Py_TPFLAGS_HAVE_VECTORCALL;
#else
inline constexpr unsigned long kVectorcallFlag = Py_TPFLAGS_HAVE_VECTORCALL;
#endif
inline constexpr size_t kArgumentsOffset = PY_VECTORCALL_ARGUMENTS_OFFSET;
#else
inline constexpr bool kHasVectorcall = false;
inline constexpr unsigned long kVectorcallFlag = 0;
inline constexpr size_t kArgumentsOffset = size_t(1) << (8 * sizeof(size_t) - 1);
#endif

// Number of positional arguments in a vectorcall's `nargsf`.
inline Py_ssize_t positional_count(size_t nargsf) { return Py_ssize_t(nargsf & ~kArgumentsOffset); }

// Makes instances of a type callable by vectorcall, through the function pointer at `offset`. The
// type must not have instances yet. With `method`, a call of such an instance found on a type
// passes self as the first argument, and no bound method is made. On 3.7 there is neither.
inline void enable_vectorcall(PyTypeObject* type, Py_ssize_t offset, bool method) {
#if PY_VERSION_HEX >= 0x03080000
  type->tp_vectorcall_offset = offset;
  type->tp_flags |= kVectorcallFlag | (method ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
#else
  (void)type, (void)offset, (void)method;
#endif
}

// `callable(*args[:nargs], **dict(zip(names, args[nargs:])))`; `names` is a tuple or null.
inline Ref vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf, PyObject* names) {
  return outlive_interpreter([&] {
#if PY_VERSION_HEX >= 0x03090000
    return Ref::steal(
        host::call(host::program, PyObject_Vectorcall, callable, args, nargsf, names));
#elif PY_VERSION_HEX >= 0x03080000
    return Ref::steal(
        host::call(host::program, _PyObject_Vectorcall, callable, args, nargsf, names));
#else
    return Ref::steal(_PyObject_FastCallKeywords(callable, args, positional_count(nargsf), names));
#endif
  });
}

// While a FlatCall lives, calling an object does not count as a level of recursion. On 3.7 every
// call goes through tp_call, so a function called through a wrapper would recurse only half as
// deep.
struct FlatCall {
#if PY_VERSION_HEX < 0x03080000
  FlatCall() { --PyThreadState_GET()->recursion_depth; }
  ~FlatCall() { ++PyThreadState_GET()->recursion_depth; }
#endif
};

// tp_call for an object whose calls are served by the vectorcall function `call`.
template <class Call>
PyObject* call_flat(Call call, PyObject* self, PyObject* args, PyObject* keywords) {
  [[maybe_unused]] const FlatCall flat_call;
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (!keywords || PyDict_GET_SIZE(keywords) == 0)
    return call(self, &PyTuple_GET_ITEM(args, 0), size_t(count), nullptr);
  std::vector<PyObject*> flat(&PyTuple_GET_ITEM(args, 0), &PyTuple_GET_ITEM(args, 0) + count);
  std::vector<Ref> held;  // the dict may be one of the program, and change
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) {
    held.push_back(Ref::share(key));
    held.push_back(Ref::share(value));
    flat.push_back(value);
  }
  const Py_ssize_t named = Py_ssize_t(held.size() / 2);
  const Ref names = Ref::steal(PyTuple_New(named));
  if (!names) return nullptr;
  for (Py_ssize_t i = 0; i < named; ++i)
    PyTuple_SET_ITEM(names.get(), i, Ref(held[size_t(2 * i)]).release());
  return call(self, flat.data(), size_t(count), names.get());
}

// --- data attached to code objects ---------------------------------------------------------------
struct CodeExtras {
  Py_ssize_t size;
  void* items[1];
};
// Up to 3.8, see code_extra.cc.
void free_in_any_interpreter(Py_ssize_t index, freefunc free);
inline Py_ssize_t request_code_extra(freefunc free) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyUnstable_Eval_RequestCodeExtraIndex(free);
#elif PY_VERSION_HEX >= 0x03090000
  return _PyEval_RequestCodeExtraIndex(free);
#else
  const Py_ssize_t index = _PyEval_RequestCodeExtraIndex(free);
  free_in_any_interpreter(index, free);
  return index;
#endif
}
// Null when nothing is attached. This is asked on every call of Python code, so it reads the field
// itself; the layout is the same in all versions.
inline void* code_extra(PyObject* code, Py_ssize_t index) {
  const auto* extras = static_cast<const CodeExtras*>(((PyCodeObject*)code)->co_extra);
  return extras && index < extras->size ? extras->items[index] : nullptr;
}
// False with an exception set when out of memory. CPython makes room for the indices of all users.
// When the code dies it calls the free function of every index that has room, so the room behind
// the last one used is given back.
inline bool set_code_extra(PyObject* code, Py_ssize_t index, void* extra) {
#if PY_VERSION_HEX >= 0x030C0000
  if (PyUnstable_Code_SetExtra(code, index, extra) != 0) return false;
#else
  if (_PyCode_SetExtra(code, index, extra) != 0) return false;
#endif
  auto* extras = static_cast<CodeExtras*>(((PyCodeObject*)code)->co_extra);
  while (extras && extras->size > index + 1 && !extras->items[extras->size - 1]) --extras->size;
  return true;
}

// --- the collector -------------------------------------------------------------------------------
// Whether allocating an object that the collector counts may start a collection, which may run
// finalizers of the program. From 3.12 on collections wait for the interpreter.
inline constexpr bool kAllocationCollects = PY_VERSION_HEX < 0x030C0000;

// --- recursion -----------------------------------------------------------------------------------
// Makes a call of a Python function from native code count as no deeper than the same call by the
// interpreter. 3.12 and 3.13 count C levels separately, and allow far fewer of them. Later versions
// measure the stack itself.
class LevelCall {
 public:
#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000
  explicit LevelCall(PyObject* callable) {
    if (concerns(callable) && c_stack_left() > kFreeStack) units_ = kUnits;
    thread_->c_recursion_remaining += units_;
  }
  ~LevelCall() { thread_->c_recursion_remaining -= units_; }

 private:
  // The interpreter runs only Python functions and methods without a new C level.
  static bool concerns(PyObject* callable) {
    if (PyMethod_Check(callable)) callable = PyMethod_GET_FUNCTION(callable);
    return PyFunction_Check(callable);
  }
  static constexpr int kUnits = 2;               // that a new run of the interpreter takes
  static constexpr size_t kFreeStack = 2 << 20;  // room for as many levels of C as CPython allows
  PyThreadState* thread_ = PyThreadState_Get();
  int units_ = 0;
#else
  explicit LevelCall(PyObject*) {}
#endif
};

// --- functions -----------------------------------------------------------------------------------
inline PyFunctionObject* function(PyObject* object) { return (PyFunctionObject*)object; }
inline PyCodeObject* function_code(PyObject* object) {
  return (PyCodeObject*)PyFunction_GET_CODE(object);
}
inline int positional_only_count(PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x03080000
  return code->co_posonlyargcount;
#else
  (void)code;
  return 0;
#endif
}
// Whether a function stores its builtins. Before 3.10 each of its frames looks them up.
constexpr bool kFunctionsKeepBuiltins = PY_VERSION_HEX >= 0x030A0000;
// The builtins dictionary that a function's frames use; null when its globals hold something
// unusual.
inline PyObject* function_builtins(PyObject* object) {
#if PY_VERSION_HEX >= 0x030A0000
  return function(object)->func_builtins;
#else
  PyObject* builtins = host::find_name(function(object)->func_globals, "__builtins__");
  if (builtins && PyModule_Check(builtins)) builtins = PyModule_GetDict(builtins);
  return builtins && PyDict_Check(builtins) ? builtins : nullptr;
#endif
}

// From 3.14 on the compiler gives a function a second function that makes its annotations.
inline void set_annotate([[maybe_unused]] PyObject* object, [[maybe_unused]] Ref annotate) {
#if PY_VERSION_HEX >= 0x030E0000
  const Ref name =
      Ref::steal(PyUnicode_FromFormat("%U.__annotate__", function(object)->func_qualname));
  if (!name || host::call(host::program, PyObject_SetAttrString, annotate.get(), "__qualname__",
                          name.get()) < 0)
    PyErr_Clear();
  function(object)->func_annotate = annotate.release();
#endif
}

// Whether the first read of the annotations calls that function.
inline bool has_annotate([[maybe_unused]] PyObject* object) {
#if PY_VERSION_HEX >= 0x030E0000
  const PyFunctionObject* const known = function(object);
  return !known->func_annotations && known->func_annotate && known->func_annotate != Py_None;
#else
  return false;
#endif
}

// --- classes -------------------------------------------------------------------------------------
// A number that changes whenever the class or a base of it does; 0 = the class has none now.
inline uint32_t type_version(const PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030C0000
  return type->tp_version_tag;
#else
  return type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG ? type->tp_version_tag : 0;
#endif
}

// --- threads -------------------------------------------------------------------------------------
// Whether a sys.settrace or sys.setprofile function watches this thread.
inline bool is_traced() {
  const PyThreadState* thread = PyThreadState_Get();
  return thread->c_tracefunc || thread->c_profilefunc;
}

// --- pattern matching ----------------------------------------------------------------------------
#if PY_VERSION_HEX >= 0x030A0000
inline bool is_sequence_pattern(PyObject* object) {
  return PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_SEQUENCE);
}
inline bool is_mapping_pattern(PyObject* object) {
  return PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_MAPPING);
}
#else
inline bool is_sequence_pattern(PyObject*) { return false; }
inline bool is_mapping_pattern(PyObject*) { return false; }
#endif
// Numbers, strings, ranges, tuples and None: never a mapping.
inline bool is_plain_value(PyObject* o) {
  return PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyTuple_CheckExact(o) ||
         PyRange_Check(o) || o == Py_None;
}

// --- small additions of later versions -----------------------------------------------------------
inline int add_object(PyObject* module, const char* name, Ref value) {
  if (!value) return -1;
#if PY_VERSION_HEX >= 0x030A0000
  return PyModule_AddObjectRef(module, name, value.get());
#else
  PyObject* object = value.release();
  if (PyModule_AddObject(module, name, object) == 0) return 0;
  drop_reference(object);
  return -1;
#endif
}
// While the interpreter ends. Other threads are being unwound then, without the GIL.
inline bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}
// The referent of a weak reference; empty when it is dead.
inline Ref weak_target(PyObject* weak) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* target = nullptr;
  if (PyWeakref_GetRef(weak, &target) < 0) PyErr_Clear();
  return Ref::steal(target);
#else
  PyObject* target = PyWeakref_GetObject(weak);
  return target == Py_None ? Ref() : Ref::share(target);
#endif
}

}  // namespace msjit::compat
