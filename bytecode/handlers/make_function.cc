// Functions that captured code defines.
#include "bytecode/exec.h"
#include "bytecode/stepping.h"
#include "guards/py/compat.h"

namespace msjit {

bool exec_MakeFunction(Executor& x, SymFrame& f, const Instr& i) {
  SymRef name = i.aux == 1 ? f.pop() : nullptr;
  const SymRef code = f.pop();
  if (!x.look(code) || (name && !x.look(name))) return false;
  if (code->kind != SymKind::kConst || !PyCode_Check(code->object.get()))
    return x.fail(BreakReason::kUnsupported, "a function without known code");
  SymRef made = make_sym(SymKind::kFunction);
  made->function = std::make_unique<SymFunction>();
  SymFunction& function = *made->function;
  function.code = code->object;
  function.globals = f.globals;
  function.globals_source = f.globals_source;
  if (name && (name->kind != SymKind::kConst || !PyUnicode_Check(name->object.get())))
    return x.fail(BreakReason::kUnsupported, "a function without a name");
  if (name) function.qualified_name = name->object;
  if (i.arg & 8) function.closure = f.pop();
  if (i.arg & 4) function.annotations = f.pop();
  if (i.arg & 2) function.kwdefaults = f.pop();
  if (i.arg & 1) function.defaults = f.pop();
  for (const SymRef& part : {function.closure, function.kwdefaults, function.defaults})
    if (part && !x.look(part)) return false;
  f.push(std::move(made));
  return true;
}

bool exec_SetFunctionAttribute(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef made = f.pop();
  const SymRef value = f.pop();
  if (made->kind != SymKind::kFunction)
    return x.fail(
        BreakReason::kUnsupported,
        "setting defaults, annotations or a closure of a function made before this region");
  if (i.arg != 4 && i.arg != kAnnotate && !x.look(value)) return false;
  SymFunction& function = *made->function;
  switch (i.arg) {
    case 1: function.defaults = value; break;
    case 2: function.kwdefaults = value; break;
    case 4:
    case kAnnotate: function.annotations = value; break;
    default: function.closure = value; break;
  }
  f.push(made);
  return true;
}

Step step_make_function(const Stepping& s) {
  const PyObject* given = s.frame.peek(1 + s.instr.aux).get();
  if (!PyCode_Check(given)) return s.hand_over();  // no compiler makes such code
  const Ref qualname = s.instr.aux ? s.frame.pop() : Ref();
  const Ref code = s.frame.pop();
  PyObject* globals = s.frame.globals().get();
  Ref made = Ref::steal(qualname ? PyFunction_NewWithQualName(code.get(), globals, qualname.get())
                                 : PyFunction_New(code.get(), globals));
  if (!made) return s.raised();
  auto* function = (PyFunctionObject*)made.get();
  if (s.instr.arg & 8) function->func_closure = s.frame.pop().release();
  if (s.instr.arg & 4) function->func_annotations = s.frame.pop().release();
  if (s.instr.arg & 2) function->func_kwdefaults = s.frame.pop().release();
  if (s.instr.arg & 1) function->func_defaults = s.frame.pop().release();
  return s.push(std::move(made));
}

// The function is new, so there is no old value to drop.
Step step_set_function_attribute(const Stepping& s) {
  Ref made = s.frame.pop();
  auto* function = (PyFunctionObject*)made.get();
  Ref value = s.frame.pop();
  switch (s.instr.arg) {
    case 1: function->func_defaults = value.release(); break;
    case 2: function->func_kwdefaults = value.release(); break;
    case 4: function->func_annotations = value.release(); break;
    case kAnnotate: compat::set_annotate(made.get(), std::move(value)); break;
    default: function->func_closure = value.release(); break;
  }
  return s.push(std::move(made));
}

}  // namespace msjit
