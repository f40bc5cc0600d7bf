// Public C API names that differ between CPython 3.7 and 3.14. No frame internals and no bytecode
// facts here: those live in interp_hook/frames and bytecode/versions.
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

// --- places of a frame ---------------------------------------------------------------------------
// See slot.h. NULL is a tag without a pointer. A pointer to an immortal object is tagged as not
// owned, so that its reference count is not changed.
#if PY_VERSION_HEX >= 0x030E0000
inline constexpr uintptr_t kSlotTags = 3;
inline uintptr_t slot_bits(PyObject* object) {
  return object ? reinterpret_cast<uintptr_t>(object) | (object->ob_flags & 1u) : 1;
}
#else
inline constexpr uintptr_t kSlotTags = 0;
inline uintptr_t slot_bits(PyObject* object) { return reinterpret_cast<uintptr_t>(object); }
#endif

// --- dictionaries --------------------------------------------------------------------------------
// The head of a dictionary's key table, which the public headers do not show.
struct KeysHead {
  Py_ssize_t references;
#if PY_VERSION_HEX >= 0x030B0000
  uint8_t log2_size, log2_index_bytes, kind;  // kind 0: keys of any class
  uint32_t version;
  Py_ssize_t usable, used;
#else
  Py_ssize_t size;
  void* lookup;  // the lookup function; one of them is for keys of any class
#endif
};
inline const KeysHead* keys_head(PyObject* dict) {
  return reinterpret_cast<const KeysHead*>(reinterpret_cast<PyDictObject*>(dict)->ma_keys);
}
// Whether an instance and its dictionary share the storage of the values (from 3.13 on). The
// instance writes there without changing the dictionary's version.
inline bool shares_values(PyObject* dict) {
#if PY_VERSION_HEX >= 0x030D0000
  return reinterpret_cast<PyDictObject*>(dict)->ma_values != nullptr;
#else
  (void)dict;
  return false;
#endif
}
// The address of eight bytes whose value changes with each change of a dictionary, and that never
// has a value twice, for any dictionary. Null when there is no reliable one. Up to 3.13
// dictionaries have a version tag; later ones are watched, see dict_watch.cc.
#if PY_VERSION_HEX >= 0x030E0000
const void* watched_version(PyObject* dict);
inline const void* dict_version(PyObject* dict) {
  return shares_values(dict) ? nullptr : watched_version(dict);
}
#else
inline const void* dict_version(PyObject* dict) {
  if (shares_values(dict)) return nullptr;
#if PY_VERSION_HEX >= 0x030C0000
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
  return &reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#if PY_VERSION_HEX >= 0x030C0000
#pragma GCC diagnostic pop
#endif
}
#endif
#if PY_VERSION_HEX >= 0x030B0000
// Position of a str among the keys that the instances of a class share; -1 when it is none of them.
inline Py_ssize_t shared_key(const KeysHead* keys, PyObject* name) {
  struct Item {
    PyObject *key, *value;
  };
  const auto* indices = reinterpret_cast<const char*>(keys + 1);
  const auto* items = reinterpret_cast<const Item*>(indices + (1 << keys->log2_index_bytes));
  for (Py_ssize_t i = 0; i < keys->used; ++i)
    if (items[i].key == name) return i;
  for (Py_ssize_t i = 0; i < keys->used; ++i)
    if (PyUnicode_Compare(items[i].key, name) == 0) return i;
  return -1;
}
#endif
#if PY_VERSION_HEX >= 0x030D0000
struct SharedValues {
  uint8_t capacity, size, embedded, valid;
  PyObject* items[1];
};
#endif
// The address of eight bytes that determine the value under a str in a dictionary with shared
// values, as long as its `ma_values` stays the same. It is the place of the value. Where no
// instance of the class has had such an attribute, it is the number of attributes they have had.
inline const void* shared_value(PyObject* dict, PyObject* name) {
#if PY_VERSION_HEX >= 0x030D0000
  const KeysHead* keys = keys_head(dict);
  auto* values = reinterpret_cast<SharedValues*>(reinterpret_cast<PyDictObject*>(dict)->ma_values);
  const Py_ssize_t i = shared_key(keys, name);
  return i < 0 ? static_cast<const void*>(&keys->used) : &values->items[i];
#else
  (void)dict, (void)name;
  return nullptr;
#endif
}
// --- attributes that an object keeps without a dictionary ----------------------------------------
// From 3.11 on an instance gets a dictionary only when somebody asks for one; CPython's own
// functions that look for it make it. Until then the instance keeps the values itself, in the order
// of the keys that its class shares. On 3.13 it still does so with a dictionary that has no other
// keys.
struct OwnValues {
  PyObject** items = nullptr;  // null: a dictionary keeps them, or there are none
  const KeysHead* keys = nullptr;
  const void* place = nullptr;  // eight bytes that keep their value while `items` does
  bool has_dict = false;        // there is a dictionary too
};
inline OwnValues own_values([[maybe_unused]] PyObject* object) {
  OwnValues own;
#if PY_VERSION_HEX >= 0x030B0000
  PyTypeObject* type = Py_TYPE(object);
  if (!(type->tp_flags & Py_TPFLAGS_MANAGED_DICT)) return own;
  auto* const fields = reinterpret_cast<char**>(object);
#if PY_VERSION_HEX >= 0x030D0000
  auto* values =
      reinterpret_cast<SharedValues*>(fields + type->tp_basicsize / Py_ssize_t(sizeof *fields));
  own.has_dict = fields[-3];
  own.place = own.has_dict ? static_cast<void*>(values) : fields - 3;
  if ((type->tp_flags & Py_TPFLAGS_INLINE_VALUES) && values->valid) own.items = values->items;
#elif PY_VERSION_HEX >= 0x030C0000
  own.place = fields - 3;
  if (reinterpret_cast<uintptr_t>(fields[-3]) & 1)
    own.items = reinterpret_cast<PyObject**>(fields[-3] + 1);
#else
  own.place = fields - 4;
  own.items = reinterpret_cast<PyObject**>(fields[-4]);
#endif
  own.keys =
      reinterpret_cast<const KeysHead*>(reinterpret_cast<PyHeapTypeObject*>(type)->ht_cached_keys);
#endif
  return own;
}
// As shared_value(), for an object that keeps its values itself.
inline const void* own_value([[maybe_unused]] const OwnValues& own,
                             [[maybe_unused]] PyObject* name) {
#if PY_VERSION_HEX >= 0x030B0000
  const Py_ssize_t i = shared_key(own.keys, name);
  return i < 0 ? static_cast<const void*>(&own.keys->used) : &own.items[i];
#else
  return nullptr;
#endif
}
// The value itself, borrowed; null when there is none.
inline PyObject* own_item([[maybe_unused]] const OwnValues& own, [[maybe_unused]] PyObject* name) {
#if PY_VERSION_HEX >= 0x030B0000
  const Py_ssize_t i = PyUnicode_CheckExact(name) ? shared_key(own.keys, name) : -1;
  return i < 0 ? nullptr : own.items[i];
#else
  return nullptr;
#endif
}
// Whether every key is an exact str. May be false although it is so.
inline bool has_only_string_keys(PyObject* dict) {
#if PY_VERSION_HEX >= 0x030B0000
  return keys_head(dict)->kind != 0;
#else
  static const void* any_keys = nullptr;
  if (!any_keys) {
    Ref number = Ref::steal(PyLong_FromLong(0));
    Ref numbered = Ref::steal(PyDict_New());
    if (!number || !numbered ||
        host::call(host::checked, PyDict_SetItem, numbered.get(), number.get(), Py_None) < 0)
      return PyErr_Clear(), false;
    any_keys = keys_head(numbered.get())->lookup;
  }
  return keys_head(dict)->lookup != any_keys;
#endif
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

// --- monitoring ----------------------------------------------------------------------------------
// Whether tools of sys.monitoring listen to one code object alone (from 3.12 on). Tools that listen
// to everything are found without looking at a code object.
inline int own_monitoring_tool = -1;  // while we have none
#if PY_VERSION_HEX >= 0x030C0000
inline constexpr bool kHasListeners = true;
// Size of the part of `_co_monitoring` that says who listens.
#if PY_VERSION_HEX >= 0x030E0000
// The head of `_PyCoMonitoringData`, which the public headers do not show any more.
using LocalMonitors = struct { uint8_t tools[11]; };
inline const LocalMonitors& local_monitors(PyCodeObject* code) {
  return *reinterpret_cast<const LocalMonitors*>(code->_co_monitoring);
}
#else
using LocalMonitors = _Py_LocalMonitors;
inline const LocalMonitors& local_monitors(PyCodeObject* code) {
  return code->_co_monitoring->local_monitors;
}
#endif
inline constexpr size_t kListenerBytes = sizeof(LocalMonitors);
inline const void* const* monitoring_of(PyCodeObject* code) {
  return reinterpret_cast<const void* const*>(&code->_co_monitoring);
}
inline bool has_listeners(PyCodeObject* code) {
  if (!code->_co_monitoring) return false;
  unsigned tools = 0;
  for (uint8_t bits : local_monitors(code).tools) tools |= bits;
  return own_monitoring_tool < 0 ? tools != 0 : (tools & ~(1u << own_monitoring_tool)) != 0;
}
#else
inline constexpr bool kHasListeners = false;
inline constexpr size_t kListenerBytes = 0;
inline const void* const* monitoring_of(PyCodeObject*) { return nullptr; }
inline bool has_listeners(PyCodeObject*) { return false; }
#endif

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
