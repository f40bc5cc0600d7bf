// Calls: ops become nodes, Python functions are inlined, builtins with a model are computed,
// anything else ends the region.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "bytecode/numpy_dtypes.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/stepping.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

JitCallable g_jit_callable;

namespace {

// Whether the function of a JitFunction has level STRICT, which its caller may not have. Where the
// context decides that, a guard is added.
bool is_judged_strictly(Executor& x, PyObject* function) {
  using Level = JitCallable::Level;
  const Level level = g_jit_callable.level(function);
  if (level == Level::kContexts && !x.current().strict) x.heap().guard_syntax_level();
  return level == Level::kStrict || (level == Level::kContexts && g_strict_by_context);
}

bool is_repr(PyObject* function) {
  const char* const name = PyCFunction_Check(function) ? pure_name(function) : nullptr;
  return name && std::strcmp(name, "repr") == 0;
}

}  // namespace

bool call_constant(Executor& x, const SymRef& callable, std::vector<SymRef> args, PyObject* names,
                   SymRef* out) {
  PyObject* object = callable->object.get();
  if (is_op(object)) return x.call_op(object, std::move(args), names, out);
  bool strict = false;
  if (Py_TYPE(object) == g_jit_callable.type) {
    strict = is_judged_strictly(x, object);
    object = g_jit_callable.function(object);
  }
  if (!may_call(x, object, args)) return false;
  bool known = false;
  if (is_legacy_method(object)) return call_legacy(x, object, args, names, out);
  if (!make_numpy_dtype(x, object, args, names, out, &known)) return false;
  if (!known && !make_numpy_finfo(x, object, args, names, out, &known)) return false;
  if (known) return true;
  if (!call_numpy(x, object, args, names, out, &known)) return false;
  if (known) return true;
  if (PyFunction_Check(object) && !find_builtin_model(object))
    return x.call_function(object, nullptr, std::move(args), names, out, strict);
  const bool as_str = object == reinterpret_cast<PyObject*>(&PyUnicode_Type);
  if ((as_str || is_repr(object)) && args.size() == 1 && !names && !is_shown_later(x, args[0])) {
    if (!x.look(args[0])) return false;
    if (!text_of_object(x, args[0], as_str, out, &known)) return false;
    if (known) return true;
  }
  if (BuiltinModel model = find_builtin_model(object)) return model(x, args, names, out);
  if (const char* name = pure_name(object)) return call_pure(x, object, name, args, names, out);
  if (is_partial_type(object)) return make_partial(x, std::move(args), names, out);
  if (is_numpy_scalar_type(object) && args.size() == 1 && !names)
    return make_numpy_scalar(x, object, args[0], out);
  if (PyType_Check(object)) return construct(x, callable, std::move(args), names, out);
  if (is_builtin_new(object) && !names) return call_builtin_new(x, object, args, out);
  if (Py_TYPE(object) == &PyWrapperDescr_Type || Py_TYPE(object) == &PyMethodDescr_Type)
    return call_descriptor(x, object, std::move(args), names, out);
  return PyCallable_Check(object) ? x.fail(BreakReason::kCallUnknown, describe(*callable))
                                  : not_callable(x, callable, {}, nullptr, out);
}

bool Executor::call(const SymRef& callable, std::vector<SymRef> args, PyObject* names,
                    SymRef* out) {
  const ValueKind& unread = kind_of(callable);
  if (!(unread.asked_unread && unread.call) && !look(callable)) return false;
  const auto run = kind_of(callable).call;
  return run ? run(*this, callable, std::move(args), names, out)
             : fail(BreakReason::kCallUnknown, describe(*callable));
}

bool exec_Call(Executor& x, SymFrame& f, const Instr& i) {
  Ref names;
  if (i.aux == kNamesOnStack) {
    if (!x.look(f.peek(1))) return false;
    names = constant_object(f.peek(1));
    if (!names || !PyTuple_CheckExact(names.get()) || PyTuple_GET_SIZE(names.get()) > i.arg)
      return x.fail(BreakReason::kUnsupported, "keyword names made at run time");
  } else if (i.aux >= 0) {
    names = Ref::share(f.code->constant(i.aux));
  }
  const size_t base = f.stack.size() - call_pops(i);
  const CallSlots slots = call_slots(i, [&](int k) { return f.stack[base + k]->is_null(); });
  const SymRef callable = f.stack[base + slots.callable];
  std::vector<SymRef> args(f.stack.begin() + base + slots.first,
                           f.stack.begin() + base + slots.first + slots.count);
  SymRef out;
  if (x.heap().realize(callable) && callable->kind == SymKind::kConst) {
    const bool range = callable->is_const(reinterpret_cast<PyObject*>(&PyRange_Type));
    if (range && !names && !x.open_range(f, args, &out)) return false;
    if (!range && !x.open_parts(f, callable, &args)) return false;
  }
  f.stack.resize(base);
  if (!out && !x.call(callable, std::move(args), names.get(), &out)) return false;
  f.push(std::move(out));
  return true;
}

bool exec_CallEx(Executor& x, SymFrame& f, const Instr& i) {
  const size_t base = f.stack.size() - call_pops(i);
  const CallSlots slots = call_slots(i, [&](int k) { return f.stack[base + k]->is_null(); });
  const SymRef callable = f.stack[base + slots.callable];
  const SymRef positional = f.stack[f.stack.size() - 1 - i.arg];
  SymRef keywords = i.arg && !f.stack.back()->is_null() ? f.stack.back() : nullptr;
  std::vector<SymRef> args;
  if (!x.unpack(positional, &args)) return false;
  Ref names;
  if (keywords) {
    if (!as_dict(x, &keywords)) return false;
    if (keywords->kind != SymKind::kDict || !x.heap().dict_all(keywords))
      return x.fail(BreakReason::kUnsupported, "** of " + describe(*keywords));
    std::vector<PyObject*> keys;
    for (const auto& [key, value] : keywords->entries) {
      if (!PyUnicode_CheckExact(key->object.get()))
        return x.fail(BreakReason::kRaises, "keyword call");
      keys.push_back(key->object.get());
      args.push_back(value);
    }
    names = allocated(Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(keys.size()))));
    for (size_t k = 0; k < keys.size(); ++k)
      PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(k), Ref::share(keys[k]).release());
    if (keys.empty()) names.reset();
  }
  f.stack.resize(base);
  SymRef out;
  if (!x.call(callable, std::move(args), names.get(), &out)) return false;
  f.push(std::move(out));
  return true;
}

namespace {

// Handles signals after a call, as the interpreter does: a signal that the callee has sent raises
// here, not in a later instruction.
Step after_call(const Stepping& s, const Step& did) {
  return did.kind == Step::kNext && PyErr_CheckSignals() < 0 ? s.raised() : did;
}

}  // namespace

Step step_call(const Stepping& s) {
  const Instr& call = s.instr;
  const int used = pops(call);
  const Operands slots(s.frame, used);
  const CallSlots at = call_slots(call, [&](int k) { return !slots[k]; });
  PyObject* names = call.aux == kNamesNone      ? nullptr
                    : call.aux == kNamesOnStack ? slots[used - 1]
                                                : s.code.constant(call.aux).get();
  if (names &&
      (!PyTuple_CheckExact(names) || PyTuple_GET_SIZE(names) > call.arg || !slots[at.callable]))
    return s.hand_over();  // no compiler makes such code
  const size_t positional = size_t(at.count) - size_t(names ? PyTuple_GET_SIZE(names) : 0);
  const compat::LevelCall level(slots[at.callable]);
  // The slot below the first argument belongs to this call, so the callee may overwrite it
  // meanwhile.
  Ref result = host::call(host::program, compat::vectorcall, slots[at.callable],
                          slots.data() + at.first, positional | compat::kArgumentsOffset, names);
  s.frame.drop(used);
  return after_call(s, s.push(std::move(result)));
}

Step step_call_ex(const Stepping& s) {
  const int used = pops(s.instr);
  const Operands slots(s.frame, used);
  const CallSlots at = call_slots(s.instr, [&](int k) { return !slots[k]; });
  PyObject* args = slots[at.first];
  PyObject* keywords = s.instr.arg ? slots[at.first + 1] : nullptr;
  // Compilers merge keywords into a plain dict. Anything else is left to CPython, which may raise.
  if (at.count != 1 + s.instr.arg || (keywords && !PyDict_CheckExact(keywords)))
    return s.hand_over();
  if (!PyTuple_CheckExact(args) && !Py_TYPE(args)->tp_iter && !PySequence_Check(args))
    return s.hand_over();
  const Ref tuple = PyTuple_CheckExact(args)
                        ? Ref::share(args)
                        : Ref::steal(host::call(host::program, PySequence_Tuple, args));
  Ref result = tuple ? outlive_interpreter([&] {
    return Ref::steal(
        host::call(host::program, PyObject_Call, slots[at.callable], tuple.get(), keywords));
  })
                     : Ref();
  s.frame.drop(used);
  return after_call(s, s.push(std::move(result)));
}

Step step_print_expr(const Stepping& s) {
  PyObject* const hook = PySys_GetObject("displayhook");
  if (!hook) return s.hand_over();
  const Ref called = Ref::share(hook), value = s.frame.pop();
  PyObject* const args[] = {value.get()};
  return s.done(host::call(host::program, compat::vectorcall, called.get(), args, 1, nullptr) ? 0
                                                                                              : -1);
}

}  // namespace msjit
