// Calls: ops become nodes, Python functions are inlined, modelled builtins computed, anything else
// ends the region.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/objects.h"

namespace msjit {

JitCallable g_jit_callable;

namespace {

// Whether a JitFunction called here keeps level STRICT, which its caller may not have.
bool is_judged_strictly(Executor& x, PyObject* function) {
  using Level = JitCallable::Level;
  const Level level = g_jit_callable.level(function);
  if (level == Level::kContexts && !x.current().strict) x.heap().guard_syntax_level();
  return level == Level::kStrict || (level == Level::kContexts && g_strict_by_context);
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
  if (!call_numpy(x, object, args, names, out, &known)) return false;
  if (known) return true;
  if (PyFunction_Check(object) && !find_builtin_model(object))
    return x.call_function(object, nullptr, std::move(args), names, out, strict);
  if (object == reinterpret_cast<PyObject*>(&PyUnicode_Type) && args.size() == 1 && !names) {
    if (!x.look(args[0])) return false;
    if (args[0]->kind == SymKind::kObject) return instance_str(x, args[0], out);
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
    names = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(keys.size())));
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

}  // namespace msjit
