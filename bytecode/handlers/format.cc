// Texts of values: f-strings.
#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/stepping.h"
#include "bytecode/values/computed.h"
#include "guards/py/host_call.h"

namespace msjit {

namespace {

// Pops the constant on top, if its text is known while capturing; null after x.fail(). `as_str`:
// the str() of an instance will do.
Ref pop_showable(Executor& x, SymFrame& f, bool as_str) {
  SymRef value = f.pop();
  if (!x.look(value)) return {};
  if (value->kind == SymKind::kObject && as_str && !instance_str(x, SymRef(value), &value))
    return {};
  const Ref known = to_python(x, value);
  if (known && !(PyLong_CheckExact(known.get()) && may_be_too_long(known.get()))) return known;
  x.fail(value->is_tensor() ? BreakReason::kTensorValue : BreakReason::kUnsupported,
         value->is_tensor() ? "formatting" : "formatting of " + describe(*value));
  return {};
}

Ref convert(const Ref& object, int conversion) {
  switch (conversion) {
    case 1: return Ref::steal(host::call(host::values, PyObject_Str, object.get()));
    case 2: return Ref::steal(host::call(host::values, PyObject_Repr, object.get()));
    case 3: return Ref::steal(host::call(host::values, PyObject_ASCII, object.get()));
    default: return object;
  }
}

bool push_text(Executor& x, SymFrame& f, Ref text) {
  if (!text) {
    PyErr_Clear();
    return x.fail(BreakReason::kRaises, "formatting");
  }
  f.push(make_const(std::move(text)));
  return true;
}

}  // namespace

bool exec_ConvertValue(Executor& x, SymFrame& f, const Instr& i) {
  bool known = false;
  SymRef text;
  if (!computed_format(x, f.peek(1), i.arg, {}, &text, &known)) return false;
  if (known) return f.peek(1) = std::move(text), true;
  const Ref object = pop_showable(x, f, i.arg == 1);
  return object && push_text(x, f, convert(object, i.arg));
}

bool exec_FormatValue(Executor& x, SymFrame& f, const Instr& i) {
  Ref spec = allocated(Ref::steal(PyUnicode_FromString("")));
  if (i.arg & kFormatSpec) {
    const SymRef top = f.pop();
    if (!x.look(top)) return false;
    spec = constant_object(top);
    if (!spec || !PyUnicode_CheckExact(spec.get()) || shows_locale(spec.get()))
      return x.fail(BreakReason::kUnsupported, "format specification");
  }
  const int conversion = i.arg & kFormatConversion;
  bool known = false;
  SymRef text;
  if (!computed_format(x, f.peek(1), conversion, spec, &text, &known)) return false;
  if (known) return f.peek(1) = std::move(text), true;
  if (!x.look(f.peek(1))) return false;
  // Without a specification, format() of an instance is its str(), unless its class has a
  // __format__.
  const bool as_str = conversion == 1 || (conversion == 0 && PyUnicode_GET_LENGTH(spec.get()) == 0);
  const Ref object = pop_showable(x, f, as_str && !has_special(f.peek(1), "__format__"));
  if (!object) return false;
  const Ref shown = convert(object, conversion);
  return push_text(
      x, f,
      shown ? Ref::steal(host::call(host::values, PyObject_Format, shown.get(), spec.get()))
            : Ref());
}

Step step_format(const Stepping& s) {
  const bool converts = s.instr.op == Op::kConvertValue;
  const Ref spec = !converts && s.instr.arg & kFormatSpec ? s.frame.pop() : Ref();
  Ref value = s.frame.pop();
  switch (s.instr.arg & kFormatConversion) {
    case 1: value = Ref::steal(host::call(host::program, PyObject_Str, value.get())); break;
    case 2: value = Ref::steal(host::call(host::program, PyObject_Repr, value.get())); break;
    case 3: value = Ref::steal(host::call(host::program, PyObject_ASCII, value.get())); break;
    default: break;
  }
  if (!value) return s.raised();
  if (converts) return s.push(std::move(value));
  if (PyUnicode_CheckExact(value.get()) && !spec) return s.push(std::move(value));
  return s.push(Ref::steal(host::call(host::program, PyObject_Format, value.get(), spec.get())));
}

}  // namespace msjit
