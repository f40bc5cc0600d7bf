// Exceptions inside a region, and instructions that end a region: rare kinds of variables, class
// definitions. The interpreter (or the stepper) runs those, and a new region begins behind them.
#include "bytecode/instance.h"
#include "bytecode/language.h"
#include "bytecode/stepping.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"

namespace msjit {

#define MSJIT_ENDS_REGION(op, reason, detail)            \
  bool exec_##op(Executor& x, SymFrame&, const Instr&) { \
    return x.fail(BreakReason::reason, detail);          \
  }

// The block stack at an instruction is static (DecodedCode::blocks), so entering and leaving a
// `try` body or a loop does nothing. Executor::unwind() enters handlers. A live frame can be
// resumed only behind the handler.
bool exec_SetupFinally(Executor&, SymFrame&, const Instr&) { return true; }
bool exec_SetupLoop(Executor&, SymFrame&, const Instr&) { return true; }
bool exec_PopBlock(Executor&, SymFrame&, const Instr&) { return true; }

MSJIT_ENDS_REGION(LoadName, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(StoreName, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(DeleteName, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(LoadClassDeref, kUnsupported, "a name of a class body")
MSJIT_ENDS_REGION(LoadBuildClass, kMakeClass, "")
MSJIT_ENDS_REGION(ImportStar, kImport, "*")
MSJIT_ENDS_REGION(PrintExpr, kCallUnknown, "sys.displayhook")
MSJIT_ENDS_REGION(SetupAnnotations, kUnsupported, "a name of a class or module body")
MSJIT_ENDS_REGION(CheckEgMatch, kException, "except*")
MSJIT_ENDS_REGION(PrepReraiseStar, kException, "except*")

bool exec_Unsupported(Executor& x, SymFrame&, const Instr& i) {
  return x.fail(BreakReason::kUnsupported, "bytecode " + std::to_string(i.arg));
}

// The exception that `raise` raises for its operand. A class is called; an instance made in the
// region is used as it is. Raising an older instance would change its traceback and context, so it
// is refused.
bool raised_value(Executor& x, const SymRef& operand, SymRef* out) {
  if (!x.look(operand)) return false;
  *out = operand;
  if (operand->kind == SymKind::kConst && PyExceptionClass_Check(operand->object.get()))
    if (!construct(x, operand, {}, nullptr, out)) return false;
  if ((*out)->kind == SymKind::kObject && (*out)->cls && is_exception_type(type_of(**out)))
    return true;
  return x.fail(x.has_handler() ? BreakReason::kException : BreakReason::kRaises,
                "raise of " + describe(**out));
}

namespace {

// Whether an exception class is caught by a class or a tuple of classes.
bool matches(Executor& x, PyTypeObject* type, const SymRef& caught, bool* out) {
  if (!x.look(caught)) return false;
  if (const std::vector<SymRef>* items = x.heap().items(caught)) {
    *out = false;
    for (const SymRef& item : std::vector<SymRef>(*items))
      if (!*out && !matches(x, type, item, out)) return false;
    return true;
  }
  if (caught->kind != SymKind::kConst || !PyExceptionClass_Check(caught->object.get()))
    return x.fail(BreakReason::kRaises, "except of " + describe(*caught));
  *out = PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(caught->object.get()));
  return true;
}

std::string text_of(const SymRef& exception) { return type_of(*exception)->tp_name; }

}  // namespace

bool exec_Raise(Executor& x, SymFrame& f, const Instr& i) {
  if (i.arg == 0) {
    if (x.handled().empty())  // re-raises what the caller handles, or raises RuntimeError
      return x.fail(x.has_handler() ? BreakReason::kException : BreakReason::kRaises, "raise");
    const SymRef again = x.handled().back().exception;
    return x.raise(again, text_of(again));
  }
  SymRef exception, cause;
  if (!raised_value(x, f.peek(i.arg), &exception)) return false;
  if (i.arg == 2) {  // the cause is dropped: nothing in a region can read it
    if (!x.look(f.peek(1))) return false;
    if (!f.peek(1)->is_const(Py_None) && !raised_value(x, f.peek(1), &cause)) return false;
  }
  return x.raise(exception, "raise " + text_of(exception));
}

bool exec_PushExcInfo(Executor& x, SymFrame& f, const Instr&) {
  SymRef exception = f.pop();
  x.handled().push_back({&f, f.stack.size(), exception});
  f.push(make_const(Ref::none()));
  f.push(std::move(exception));
  return true;
}

bool exec_PopExcept(Executor& x, SymFrame& f, const Instr& i) {
  if (x.handled().empty() || x.handled().back().frame != &f)
    return x.fail(BreakReason::kException, "handler");
  x.handled().pop_back();
  f.stack.resize(f.stack.size() - i.arg);
  return true;
}

// Below the classes is the exception; up to 3.8 its class.
bool exec_CheckExcMatch(Executor& x, SymFrame& f, const Instr&) {
  const SymRef caught = f.pop();
  const SymRef& raised = f.peek(1);
  if (!(raised->kind == SymKind::kConst && PyType_Check(raised->object.get())) &&
      !(raised->kind == SymKind::kObject && raised->cls))
    return x.fail(BreakReason::kException, "handler");
  PyTypeObject* type = raised->kind == SymKind::kConst && PyType_Check(raised->object.get())
                           ? reinterpret_cast<PyTypeObject*>(raised->object.get())
                           : type_of(*raised);
  bool found = false;
  if (!matches(x, type, caught, &found)) return false;
  f.push(make_const(Ref::share(found ? Py_True : Py_False)));
  return true;
}

bool exec_JumpIfNotExcMatch(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef caught = f.pop();
  const SymRef cls = f.pop();
  bool found = false;
  if (cls->kind != SymKind::kConst || !PyType_Check(cls->object.get()))
    return x.fail(BreakReason::kException, "handler");
  if (!matches(x, reinterpret_cast<PyTypeObject*>(cls->object.get()), caught, &found)) return false;
  if (!found) f.next = i.target;
  return true;
}

// Up to 3.10 the class, exception and traceback are on the stack, later the exception alone.
bool exec_Reraise(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef exception = f.peek(i.arg == 1 ? 1 : 2);
  if (exception->kind != SymKind::kObject || !exception->cls)
    return x.fail(BreakReason::kException, "handler");
  return x.raise(exception, text_of(exception));
}

bool exec_BeforeWith(Executor& x, SymFrame& f, const Instr&) {
  const SymRef manager = f.peek(1);
  if (!x.look(manager)) return false;
  if (!has_special(manager, "__enter__") || !has_special(manager, "__exit__"))
    return x.fail(BreakReason::kException, "with " + describe(*manager));
  PyObject* exit = find_special(manager, "__exit__");
  SymRef function = x.heap().from_constant(Ref::share(exit),
                                           std::string(type_of(*manager)->tp_name) + ".__exit__");
  SymRef entered;
  if (!call_special(x, manager, "__enter__", {}, &entered)) return false;
  f.peek(1) = make_items(SymKind::kMethod, {std::move(function), manager});
  f.push(std::move(entered));
  return true;
}

bool exec_LoadSpecial(Executor& x, SymFrame& f, const Instr& i) {
  const char* name = i.arg == kSpecialEnter ? "__enter__" : "__exit__";
  const SymRef manager = f.peek(1);
  if (!x.look(manager) || !may_use(x, manager)) return false;
  if (!has_special(manager, name))
    return x.fail(BreakReason::kException, "with " + describe(*manager));
  SymRef function = x.heap().from_constant(Ref::share(find_special(manager, name)),
                                           fmt::format("{}.{}", type_of(*manager)->tp_name, name));
  f.peek(1) = make_items(SymKind::kMethod, {std::move(function), manager});
  f.push(null_sym());
  return true;
}

// From 3.14 on there is a NULL above the method.
bool exec_WithExceptStart(Executor& x, SymFrame& f, const Instr& i) {
  const size_t below = i.form == CallForm::kNullAbove ? 1 : 0;
  const bool three = f.stack.size() >= 7 && f.peek(1)->kind == SymKind::kConst;
  if (f.stack.size() < 4 + below) return x.fail(BreakReason::kUnsupported, "with");
  const SymRef exit = f.peek(three ? 7 : 4 + below);
  const SymRef exception = f.peek(three ? 2 : 1);
  if (!exception->cls) return x.fail(BreakReason::kUnsupported, "with");
  SymRef traceback = three ? f.peek(3) : nullptr;
  if (!traceback) {
    traceback = make_sym(SymKind::kObject);
    traceback->cls = Ref::share(reinterpret_cast<PyObject*>(&PyTraceBack_Type));
    traceback->born = x.root_step();
  }
  SymRef out;
  if (!x.call(exit, {make_const(exception->cls), exception, traceback}, nullptr, &out))
    return false;
  f.push(std::move(out));
  return true;
}

namespace {

// Binds a special method found on the type, as the interpreter does.
Ref bind(PyObject* descriptor, PyObject* self) {
  const descrgetfunc get = Py_TYPE(descriptor)->tp_descr_get;
  return get ? Ref::steal(get(descriptor, self, (PyObject*)Py_TYPE(self))) : Ref::share(descriptor);
}

}  // namespace

Step step_before_with(const Stepping& s) {
  static PyObject* const enter_name = special_name("__enter__");
  static PyObject* const exit_name = special_name("__exit__");
  const Ref manager = Ref::share(s.frame.peek(1));
  const Ref enter_found =
      Ref::share(host::call(host::program, _PyType_Lookup, Py_TYPE(manager.get()), enter_name));
  const Ref exit_found =
      Ref::share(host::call(host::program, _PyType_Lookup, Py_TYPE(manager.get()), exit_name));
  if (!enter_found || !exit_found) return s.hand_over();
  const Ref enter = bind(enter_found.get(), manager.get());
  if (!enter) return s.raised();
  Ref exit = bind(exit_found.get(), manager.get());
  if (!exit) return s.raised();
  s.frame.drop(1);
  s.frame.push(std::move(exit));
  return s.push(host::call(host::program, compat::vectorcall, enter.get(), nullptr, 0, nullptr));
}

Step step_load_special(const Stepping& s) {
  static PyObject* const names[] = {special_name("__enter__"), special_name("__exit__")};
  const Ref manager = Ref::share(s.frame.peek(1));
  const Ref found = Ref::share(
      host::call(host::program, _PyType_Lookup, Py_TYPE(manager.get()), names[s.instr.arg]));
  if (!found) return s.hand_over();
  Ref method = bind(found.get(), manager.get());
  if (!method) return s.raised();
  s.frame.drop(1);
  s.frame.push(std::move(method));
  s.frame.push({});
  return s.next();
}

}  // namespace msjit
