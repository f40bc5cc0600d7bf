// Calls of a JitFunction. A cached call checks the guards on the arguments and runs the compiled
// graph without making a Python frame. Any other call calls the function, and asks the hook for the
// frame of that call (NextFrame).
#include <memory>
#include <new>

#include "bytecode/exec.h"
#include "guards/py/c_stack.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "interp_hook/driver.h"
#include "interp_hook/hook.h"
#include "interp_hook/let_go.h"
#include "pylib/ext/jit_arguments.h"
#include "pylib/ext/jit_function.h"

namespace msjit {
namespace {

constexpr int kMaxSlots = 64;
constexpr int kInlineRegisters = 256;

bool is_strict(const JitFunction* self) {
  return self->level == SyntaxLevel::kNone ? g_strict_by_context
                                           : self->level == SyntaxLevel::kStrict;
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

PyObject* call_plainly(JitFunction* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return host::call(host::program, compat::vectorcall, self->function, args, nargsf, names)
      .release();
}

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

// What the slots of a frame hold when the function begins: arguments, unbound locals, cells of the
// closure.
void fill_slots(const JitFunction* self, PyObject* const* args, PyObject** locals) {
  PyObject* const closure = compat::function(self->function)->func_closure;
  const int cells = closure ? static_cast<int>(PyTuple_GET_SIZE(closure)) : 0;
  const int first_cell = self->slots - cells;
  int slot = 0;
  for (; slot < self->arguments; ++slot) locals[slot] = args[slot];
  for (; slot < first_cell; ++slot) locals[slot] = nullptr;
  for (; slot < self->slots; ++slot) locals[slot] = PyTuple_GET_ITEM(closure, slot - first_cell);
}

// Whether an entry whose guards hold may serve this call. `plain`: see call_cached().
bool may_serve(const JitFunction* self, Entry& entry, PyObject* const* registers, bool* plain) {
  if (!entry.returns) return false;
  if (entry.rests()) {
    *plain = self->mode == JitMode::kPIJit && !entry.may_go_further;
    return false;
  }
  if (!entry.strict && self->mode == JitMode::kPSJit && is_strict(self)) return false;
  return entry.effects.empty() || !drops_code(entry, registers, nullptr);
}

// Runs an entry. False: nothing was done. A null `result`: an exception is set. Not `captured`: the
// interpreter has run the function.
bool run_cached(JitFunction* self, const GivenArguments& given, Entry& entry, const Slots& slots,
                PyObject** registers, PyObject** result, bool* captured) {
  std::string error;
  *result = nullptr;
  if (entry.single_output >= 0) {
    *result = run_single(entry, registers, &error).release();
  } else {
    const ReplayScope replays;
    EntryRun run;
    bool untouched = true;
    if (run_entry(entry, slots, registers, &run, &error)) {
      if (apply_effects(entry, &run, &untouched))
        *result = Ref(run.objects[entry.result]).release();
      else if (!untouched || !entry.calls)
        return !untouched;
    }
    if (!*result && entry.calls && !PyErr_Occurred()) {
      entry.fail();  // calls of other processes are replayed, so the interpreter runs it at once
      const compat::LevelCall level(self->function);
      *captured = false;
      *result = call_plainly(self, given.args, given.nargsf, given.names);
      return true;
    }
  }
  if (*result || PyErr_Occurred()) return true;  // the exception is that of a signal handler
  entry.fail(true);  // the interpreter runs it and raises what the program raises
  return PyErr_Occurred() != nullptr;
}

// Runs a cached entry on `args`, one for each parameter. False: nothing was done. `plain` then says
// whether an entry leaves this call to the interpreter, so that the driver need not be asked. Not
// inlined into call_jit: a recursion that is not cached would pay for its C stack at every level.
[[gnu::noinline]] bool call_cached(JitFunction* self, PyObject* const* args,
                                   const GivenArguments& given, PyObject** result, bool* plain) {
  CodeState* const state = self->state;
  EntryPoint* const point = state->start;
  if (!point || !point->returns || point->entries.empty()) return false;
  PyObject* locals[kMaxSlots];
  fill_slots(self, args, locals);
  InlineVec<PyObject*, kInlineRegisters> space;
  space.resize(static_cast<uint32_t>(point->register_count));
  PyObject** const registers = space.data();
  PyObject* const builtins = compat::function_builtins(self->function);
  if (!builtins) return false;
  const Slots slots{as_slots(locals), nullptr, compat::function(self->function)->func_globals,
                    builtins};
  Entry* const entry = find_entry(*point, slots, registers);
  if (!entry || !may_serve(self, *entry, registers, plain)) return false;
  // PSJit promises that the whole graph runs, so its entries have no trials.
  const Trial::Turn turn =
      self->mode == JitMode::kPIJit ? entry->trial_turn(registers) : Trial::Turn::kNone;
  if (turn == Trial::Turn::kInterpreter) [[unlikely]] {
    *result = call_for_trial(self, given, entry->shared_from_this());
    return true;
  }
  const double start = turn == Trial::Turn::kTimed ? Trial::now_us() : 0;
  const RegionRun keep;
  // Code of the program may run in the meantime and replace self->code, which owns `state`.
  const bool lets_run = entry->single_output < 0 || entry->gives_way();
  const Ref owner = Ref::share(lets_run ? reinterpret_cast<PyObject*>(self->code) : nullptr);
  bool captured = true;
  if (!run_cached(self, given, *entry, slots, registers, result, &captured)) return false;
  if (!*result || !captured) return true;
  ++state->calls;
  ++state->captured_calls;
  if (turn == Trial::Turn::kTimed) [[unlikely]]
    entry->entry_took(Trial::now_us() - start);
  return true;
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
  if (self->arguments >= 0 && captures_here() && !hook::is_watched(self->code)) {
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
  if (self->state && strict && captures_here()) {
    self->state->inert = false;  // so that the driver captures and judges it
    if (auto decoded = decode(self->code); !decoded.ok()) {
      g_front_end.refuse({self->code, 0, {}}, self->state->name,
                         break_name(BreakReason::kUnsupported), decoded.error().message);
      return nullptr;
    }
  }
  if (plain) ++self->state->calls;
  if (!self->state || plain || self->state->stays_inert() || !captures_here())
    return call_plainly(self, args, nargsf, names);
  const Ref code = Ref::share(
      reinterpret_cast<PyObject*>(self->code));  // owns the state; the call may replace it
  NextFrame next(self->code, drive_frame, {self->whole, strict && self->mode == JitMode::kPSJit});
  return host::call(host::program, compat::vectorcall, self->function, args, nargsf, names)
      .release();
}

}  // namespace

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

PyObject* jit_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                         PyObject* names) noexcept {
  try {
    return call_jit(as_jit(callable), args, nargsf, names);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

}  // namespace msjit
