// Inlining of Python functions: binds symbolic arguments to parameters as CPython does, and runs
// the callee's instructions in a new frame.
#include <fmt/core.h>

#include <utility>

#include "bytecode/exec.h"
#include "guards/py/compat.h"

namespace msjit {
namespace {

struct Callee {
  PyCodeObject* code;
  Ref globals;
  SourceId globals_source = kNoSource;
  SymRef defaults, kwdefaults, closure;  // tuple, dict and tuple; null when absent
};

const char* name_of(const Callee& callee) {
  const char* name = utf8_text(callee.code->co_name);
  return name ? name : "?";
}

// Reads the parts of a function known by identity; the FUNCTION guard pins its code.
bool open_function(Executor& x, PyObject* object, Callee* out) {
  auto* function = compat::function(object);
  Heap& heap = x.heap();
  SymRef pinned = heap.from_constant(Ref::share(object), utf8_text(function->func_qualname));
  if (!x.look(pinned)) return false;
  out->code = reinterpret_cast<PyCodeObject*>(function->func_code);
  out->globals = Ref::share(function->func_globals);
  out->globals_source = heap.globals_source(pinned);
  out->defaults = heap.function_part(pinned, load::function_defaults);
  out->kwdefaults = heap.function_part(pinned, load::function_kwdefaults);
  out->closure = heap.function_part(pinned, load::function_closure);
  return true;
}

void open_fresh(const SymRef& fresh, Callee* out) {
  const SymFunction& function = *fresh->function;
  out->code = reinterpret_cast<PyCodeObject*>(function.code.get());
  out->globals = function.globals;
  out->globals_source = function.globals_source;
  out->defaults = function.defaults;
  out->kwdefaults = function.kwdefaults;
  out->closure = function.closure;
}

// The builtins of a callee's frame. Before 3.10 a frame uses the builtins of a caller with the same
// globals; otherwise it looks them up in its globals. From 3.10 on a function looks them up when it
// is made.
bool find_builtins(Executor& x, const SymFrame& caller, PyObject* object, const Callee& callee,
                   Ref* out) {
  const bool same_globals = caller.globals.get() == callee.globals.get() &&
                            caller.globals_source == callee.globals_source;
  if (compat::kFunctionsKeepBuiltins && object)
    return *out = Ref::share(compat::function_builtins(object)), true;
  if (!compat::kFunctionsKeepBuiltins && same_globals) return *out = caller.builtins, true;
  static PyObject* const name = special_name("__builtins__");
  const SymRef found =
      x.heap().global(callee.globals.get(), callee.globals_source, caller.builtins.get(), name);
  PyObject* builtins = found && found->source != kNoSource ? found->object.get() : nullptr;
  if (builtins && PyModule_Check(builtins)) builtins = PyModule_GetDict(builtins);
  if (!builtins || !PyDict_Check(builtins))
    return x.fail(BreakReason::kUnsupported, "a function whose globals name no builtins");
  x.heap().guard_identity(found);
  *out = Ref::share(builtins);
  return true;
}

// Binds arguments to the callee's parameters. What CPython would refuse ends the region.
class Binder {
 public:
  Binder(Executor& x, const Callee& callee, const DecodedCode& code)
      : x_(x),
        callee_(callee),
        code_(code),
        count_(callee.code->co_argcount),
        total_(count_ + callee.code->co_kwonlyargcount) {}

  bool bind(std::vector<SymRef> args, PyObject* names, std::vector<SymRef>* slots) {
    const int keywords = names ? static_cast<int>(PyTuple_GET_SIZE(names)) : 0;
    const int positional = static_cast<int>(args.size()) - keywords;
    int next = total_;
    for (int i = 0; i < std::min(positional, count_); ++i) (*slots)[i] = args[i];
    if (callee_.code->co_flags & CO_VARARGS) {
      std::vector<SymRef> rest;
      for (int i = count_; i < positional; ++i) rest.push_back(args[i]);
      (*slots)[next++] = make_items(SymKind::kTuple, std::move(rest));
    } else if (positional > count_) {
      return raises("too many arguments");
    }
    SymRef extra = make_sym(SymKind::kDict);
    for (int k = 0; k < keywords; ++k)
      if (!bind_keyword(PyTuple_GET_ITEM(names, k), args[positional + k], extra, slots))
        return false;
    if (callee_.code->co_flags & CO_VARKEYWORDS) (*slots)[next] = extra;
    return fill_defaults(slots);
  }

 private:
  bool raises(const char* what) {
    return x_.fail(BreakReason::kRaises, fmt::format("call of {} ({})", name_of(callee_), what));
  }

  bool bind_keyword(PyObject* name, const SymRef& value, const SymRef& extra,
                    std::vector<SymRef>* slots) {
    const int first = compat::positional_only_count(callee_.code);
    for (int i = first; i < total_; ++i) {
      if (PyUnicode_Compare(code_.slot_name(i).get(), name) != 0) continue;
      if ((*slots)[i]) return raises("argument given twice");
      (*slots)[i] = value;
      return true;
    }
    if (!(callee_.code->co_flags & CO_VARKEYWORDS)) return raises("unexpected keyword");
    extra->entries.emplace_back(make_const(Ref::share(name)), value);
    return true;
  }

  bool fill_defaults(std::vector<SymRef>* slots) {
    const std::vector<SymRef>* defaults = nullptr;
    if (callee_.defaults) {
      defaults = x_.heap().items(callee_.defaults);
      if (!defaults) return x_.fail(BreakReason::kInternal, "defaults are no tuple");
    }
    const int have = defaults ? static_cast<int>(defaults->size()) : 0;
    for (int i = 0; i < total_; ++i) {
      if ((*slots)[i]) continue;
      if (i < count_) {
        if (i < count_ - have) return raises("missing argument");
        (*slots)[i] = (*defaults)[i - (count_ - have)];
        continue;
      }
      SymRef value;
      if (callee_.kwdefaults) {
        if (!x_.look(callee_.kwdefaults)) return false;
        value = x_.heap().dict_get(callee_.kwdefaults, make_const(Ref::share(code_.slot_name(i))));
      }
      if (!value) return raises("missing keyword argument");
      (*slots)[i] = value;
    }
    return true;
  }

  Executor& x_;
  const Callee& callee_;
  const DecodedCode& code_;
  const int count_, total_;
};

// Cells for captured parameters and locals, then the closure's own cells.
bool make_cells(Executor& x, const Callee& callee, const DecodedCode& code,
                std::vector<SymRef>* slots) {
  const int count = code.slot_count();
  for (int i = 0; i < count; ++i) {
    if (code.slot_kind(i) != SlotKind::kCell) continue;
    SymRef cell = make_sym(SymKind::kCell);
    if (const int parameter = code.captured_parameter(i); parameter >= 0)
      cell->items = {std::exchange((*slots)[parameter], null_sym())};
    (*slots)[i] = std::move(cell);
  }
  if (code.free_count() == 0) return true;
  const std::vector<SymRef>* closure = callee.closure ? x.heap().items(callee.closure) : nullptr;
  if (!closure || static_cast<int>(closure->size()) != code.free_count())
    return x.fail(BreakReason::kInternal, "closure does not fit its function");
  for (int i = 0; i < code.free_count(); ++i)
    (*slots)[count - code.free_count() + i] = (*closure)[i];
  return true;
}

// Whether a call of the callee can be run inside the region. False, and failed: it cannot.
bool may_inline(Executor& x, const Callee& callee, const DecodedCode& code) {
  const int flags = callee.code->co_flags;
  if ((flags & (CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE)) || !code.flows())
    return x.fail(BreakReason::kGenerator, name_of(callee));
  return x.heap().guard_unwatched(callee.code) ||
         x.fail(BreakReason::kCallUnknown,
                fmt::format("{}, which a monitoring tool watches,", name_of(callee)));
}

}  // namespace

bool Executor::call_function(PyObject* object, const SymRef& fresh, std::vector<SymRef> args,
                             PyObject* names, SymRef* out, bool strict) {
  Callee callee;
  if (object) {
    if (!open_function(*this, object, &callee)) return false;
  } else {
    open_fresh(fresh, &callee);
  }
  if (depth_ >= limits_.inline_depth) return fail(BreakReason::kInlineDepth, name_of(callee));
  auto decoded = decode(callee.code);
  if (!decoded.ok()) return fail(BreakReason::kUnsupported, decoded.error().message);
  const DecodedCode& code = *decoded.value();
  if (!may_inline(*this, callee, code)) return false;

  SymFrame frame;
  frame.code = &code;
  frame.slots.resize(code.slot_count());
  frame.globals = callee.globals;
  frame.globals_source = callee.globals_source;
  if (!find_builtins(*this, *current_, object, callee, &frame.builtins)) return false;
  frame.parent = current_;
  frame.strict = strict || current_->strict;
  note_inlined(frame);
  if (!Binder(*this, callee, code).bind(std::move(args), names, &frame.slots)) return false;
  if (!make_cells(*this, callee, code, &frame.slots)) return false;
  for (SymRef& slot : frame.slots)
    if (!slot) slot = null_sym();
  frame.pc = code.entry();
  if (callee.code->co_flags & CO_GENERATOR) return *out = new_generator(std::move(frame)), true;
  ++depth_;
  const bool done = run(frame);
  --depth_;
  if (!done) return false;
  *out = frame.result;
  return true;
}

}  // namespace msjit
