// JitFunction: the callable that jit(f) returns. A cached call checks the guards on the arguments
// and runs the compiled graph without making a Python frame. Any other call calls f, and asks the
// hook for the frame of that call (NextFrame).
#include <Python.h>
#include <structmember.h>

#include <cstring>
#include <memory>
#include <new>

#include "bytecode/exec.h"
#include "guards/py/c_stack.h"
#include "guards/py/compat.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "guards/py/tables.h"
#include "guards/py/tensor_class.h"
#include "interp_hook/config.h"
#include "interp_hook/driver.h"
#include "interp_hook/hook.h"
#include "interp_hook/let_go.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/config.h"
#include "pylib/ext/jit.h"
#include "pylib/ext/jit_arguments.h"
#include "pylib/ext/jit_debug.h"
#include "pylib/ext/jit_front.h"

namespace msjit {
namespace {

constexpr int kMaxSlots = 64;
constexpr int kInlineRegisters = 256;

struct JitFunction {
  PyObject_HEAD VectorcallFn vectorcall;
  PyObject* function;  // the wrapped Python function
  PyObject* dict;
  PyObject* weak;
  CodeState* state;    // of `code`
  PyCodeObject* code;  // owned: the function's code when refresh() ran; f.__code__ may be replaced
  int arguments;       // number of parameters; -1: calls must not go without a frame (for now)
  int frameless;       // what `arguments` becomes once the source is checked
  int positional;      // a call with so many positional arguments needs no binding; -1: none does
  int slots;
  int entry;  // canonical index of the first instruction
  JitMode mode;
  bool whole;           // the function is one graph, or the call raises CompileError
  SyntaxLevel level;    // of PSJit
  SyntaxLevel checked;  // the level whose source check the code has passed; kNone at first
};

JitFunction* as_jit(PyObject* object) { return reinterpret_cast<JitFunction*>(object); }

// Sets the fields that depend on the function's code object. False: this code never runs natively.
bool refresh(JitFunction* self) {
  PyCodeObject* code = compat::function_code(self->function);
  const Ref held = Ref::share(reinterpret_cast<PyObject*>(code));
  CodeState* const state = code_state(code);
  auto decoded = decode(code);
  // From here on no Python code runs that could replace the function's code and call refresh()
  // again.
  const Ref old = Ref::steal(reinterpret_cast<PyObject*>(self->code));  // owned the state until now
  self->code = reinterpret_cast<PyCodeObject*>(Ref(held).release());
  self->arguments = -1;
  self->state = state;
  if (!state || !decoded.ok() || decoded.value()->is_generator()) return false;
  const DecodedCode& d = *decoded.value();
  self->slots = d.slot_count();
  self->entry = d.entry();
  const bool plain = !(code->co_flags & (CO_VARARGS | CO_VARKEYWORDS));
  bool cells = false;
  for (int i = 0; i < self->slots; ++i) cells |= d.slot_kind(i) == SlotKind::kCell;
  self->checked = SyntaxLevel::kNone;
  self->frameless = plain && !cells && self->slots <= kMaxSlots
                        ? code->co_argcount + code->co_kwonlyargcount
                        : -1;
  self->positional = code->co_kwonlyargcount == 0 ? code->co_argcount : -1;
  if (self->mode == JitMode::kPIJit) self->arguments = self->frameless;
  return true;
}

bool is_strict(const JitFunction* self) {
  return self->level == SyntaxLevel::kNone ? g_strict_by_context
                                           : self->level == SyntaxLevel::kStrict;
}

// The level at which a function is judged when a compiled one calls it.
JitCallable::Level level_inlined(PyObject* object) {
  using Level = JitCallable::Level;
  const JitFunction* self = as_jit(object);
  if (self->mode != JitMode::kPSJit || self->level == SyntaxLevel::kLax) return Level::kCallers;
  return self->level == SyntaxLevel::kNone ? Level::kContexts : Level::kStrict;
}

// PSJit: checks the source of the function once a level. False with an exception set.
bool check_language(JitFunction* self) {
  const SyntaxLevel level = is_strict(self) ? SyntaxLevel::kStrict : SyntaxLevel::kLax;
  if (self->mode != JitMode::kPSJit || self->checked >= level) return true;
  if (!check_source(self->function, level)) return false;
  self->checked = level;
  self->arguments = self->frameless;
  return true;
}

// The arguments of a call, as the vectorcall protocol passes them.
struct GivenArguments {
  PyObject* const* args;
  size_t nargsf;
  PyObject* names;
};

// The interpreter's turn in the trial of an entry: the function runs op by op.
[[gnu::noinline]] PyObject* call_for_trial(JitFunction* self, const GivenArguments& given,
                                           const std::shared_ptr<EntryBase>& entry) {
  CodeState* const state = self->state;
  const Ref owner = Ref::share(reinterpret_cast<PyObject*>(self->code));
  const compat::LevelCall level(self->function);
  const double start = Trial::now_us();
  Ref result = host::call(host::program, compat::vectorcall, self->function, given.args,
                          given.nargsf, given.names);
  if (result) static_cast<Entry&>(*entry).interpreter_took(Trial::now_us() - start, state);
  return result.release();
}

// Runs a cached entry on `args`, one for each parameter. False: nothing was done. `plain` then says
// whether an entry leaves this call to the interpreter, so that the driver need not be asked. Not
// inlined into call_jit: a recursion that is not cached would pay for its C stack at every level.
[[gnu::noinline]] bool call_cached(JitFunction* self, PyObject* const* args,
                                   const GivenArguments& given, PyObject** result, bool* plain) {
  EntryPoint* point = self->state->start;
  if (!point || !point->returns || point->entries.empty()) return false;
  auto* function = compat::function(self->function);
  PyObject* locals[kMaxSlots];
  int slot = 0;
  for (; slot < self->arguments; ++slot) locals[slot] = args[slot];
  const int free_first =
      self->slots -
      (function->func_closure ? static_cast<int>(PyTuple_GET_SIZE(function->func_closure)) : 0);
  for (; slot < free_first; ++slot) locals[slot] = nullptr;
  for (; slot < self->slots; ++slot)
    locals[slot] = PyTuple_GET_ITEM(function->func_closure, slot - free_first);
  InlineVec<PyObject*, kInlineRegisters> space;
  space.resize(static_cast<uint32_t>(point->register_count));
  PyObject** registers = space.data();
  PyObject* const builtins = compat::function_builtins(self->function);
  if (!builtins) return false;
  const Slots slots{as_slots(locals), nullptr, function->func_globals, builtins};
  Entry* entry = find_entry(*point, slots, registers);
  if (!entry || !entry->returns) return false;
  if (entry->rests()) {
    *plain = self->mode == JitMode::kPIJit && !entry->may_go_further;
    return false;
  }
  if (!entry->strict && self->mode == JitMode::kPSJit && is_strict(self)) return false;
  if (!entry->effects.empty() && drops_code(*entry, registers, nullptr)) return false;
  // PSJit promises that the whole graph runs, so its entries have no trials.
  const Trial::Turn turn =
      self->mode == JitMode::kPIJit ? entry->trial_turn(registers) : Trial::Turn::kNone;
  if (turn == Trial::Turn::kInterpreter) [[unlikely]] {
    *result = call_for_trial(self, given, entry->shared_from_this());
    return true;
  }
  const double start = turn == Trial::Turn::kTimed ? Trial::now_us() : 0;
  const RegionRun keep;
  CodeState* const state = self->state;
  // Code of the program may run in the meantime and replace self->code, which owns `state`.
  const bool lets_run = entry->single_output < 0 || entry->gives_way();
  const Ref owner = Ref::share(lets_run ? reinterpret_cast<PyObject*>(self->code) : nullptr);
  std::string error;
  if (entry->single_output >= 0) {
    Ref value = run_single(*entry, registers, &error);
    *result = value.release();
  } else {
    EntryRun run;
    if (run_entry(*entry, slots, registers, &run, &error)) {
      bool untouched = false;
      if (!apply_effects(*entry, &run, &untouched)) return *result = nullptr, !untouched;
      *result = Ref(run.objects[entry->result]).release();
    } else {
      *result = nullptr;
    }
  }
  if (!*result && PyErr_Occurred()) return true;  // a signal handler raised
  if (!*result) {
    entry->fail(true);  // the interpreter runs it and raises what the program raises
    return PyErr_Occurred() != nullptr;
  }
  ++state->calls;
  ++state->captured_calls;
  if (turn == Trial::Turn::kTimed) [[unlikely]]
    entry->entry_took(Trial::now_us() - start);
  return true;
}

PyObject* call_plainly(JitFunction* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return host::call(host::program, compat::vectorcall, self->function, args, nargsf, names)
      .release();
}

// Whether the interpreter runs all of this call. Only for PIJit functions that need not be one
// graph, and that are inert: no entry serves whole calls, or their pieces have lost a trial.
bool is_left_alone(JitFunction* self) {
  CodeState* const state = self->state;
  if (self->mode != JitMode::kPIJit || self->level != SyntaxLevel::kLax || !state || !state->inert)
    return false;
  const bool serves = state->start && state->start->returns && !state->start->entries.empty();
  const bool lost = state->trial.pieces_us() > state->trial.interpreter_us();
  return (!serves || lost) && state->stays_inert();
}

// call_cached() for a call with keywords, or without some arguments that have defaults.
[[gnu::noinline]] bool call_bound(JitFunction* self, const GivenArguments& given, PyObject** result,
                                  bool* plain) {
  const EntryPoint* const point = self->state->start;
  if (!point || !point->returns) return false;
  auto decoded = decode(self->code);
  BoundArguments bound;
  return decoded.ok() &&
         bound.bind(self->function, *decoded.value(), given.args,
                    compat::positional_count(given.nargsf), given.names) &&
         call_cached(self, bound.data(), given, result, plain);
}

PyObject* call_jit(JitFunction* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  if (compat::function_code(self->function) != self->code) refresh(self);
  if (is_left_alone(self) && c_stack_left() >= kLeastStack) {
    const compat::LevelCall level(self->function);
    return call_plainly(self, args, nargsf, names);
  }
  const Py_ssize_t count = compat::positional_count(nargsf);
  bool plain = false;
  if (self->arguments >= 0 && jit_config().enabled && !hook::is_watched(self->code)) {
    PyObject* result = nullptr;
    const GivenArguments given{args, nargsf, names};
    if (count == self->positional && !names) {
      if (call_cached(self, args, given, &result, &plain)) return result;
    } else if (call_bound(self, given, &result, &plain)) {
      return result;
    }
  }
  if (c_stack_left() < kLeastStack) [[unlikely]]
    return PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded");
  if (!check_language(self)) return nullptr;
  const GraphCall inside(self->mode == JitMode::kPSJit);
  const compat::LevelCall level(self->function);
  const bool strict = is_strict(self);
  if (self->state && strict && jit_config().enabled) {
    self->state->inert = false;  // so that the driver captures and judges it
    if (auto decoded = decode(self->code); !decoded.ok()) {
      g_front_end.refuse({self->code, 0, {}}, self->state->name,
                         break_name(BreakReason::kUnsupported), decoded.error().message);
      return nullptr;
    }
  }
  if (plain) ++self->state->calls;
  if (!self->state || plain || self->state->stays_inert() || !jit_config().enabled)
    return call_plainly(self, args, nargsf, names);
  const Ref code = Ref::share(
      reinterpret_cast<PyObject*>(self->code));  // owns the state; the call may replace it
  NextFrame next(self->code, drive_frame, {self->whole, strict && self->mode == JitMode::kPSJit});
  return host::call(host::program, compat::vectorcall, self->function, args, nargsf, names)
      .release();
}

PyObject* jit_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                         PyObject* names) noexcept {
  try {
    return call_jit(as_jit(callable), args, nargsf, names);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
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
