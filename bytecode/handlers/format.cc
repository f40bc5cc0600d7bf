// Texts of values: f-strings.
#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/stepping.h"
#include "bytecode/values/computed.h"
#include "guards/py/host_call.h"

namespace msjit {

namespace {

// The Python object of a value whose text is known while capturing; null after x.fail().
Ref showable(Executor& x, const SymRef& value) {
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

// Replaces the value on top by its text. `spec` is empty where nothing is formatted.
bool show(Executor& x, SymFrame& f, int conversion, const Ref& spec) {
  const SymRef value = f.pop();
  if (!x.look(value)) return false;
  // Without a specification, format() of an instance is its str(), unless its class has a
  // __format__.
  const bool plain = conversion == 0 && spec && PyUnicode_GET_LENGTH(spec.get()) == 0 &&
                     !has_special(value, "__format__");
  const bool as_str = conversion == 1 || plain;
  SymRef text;
  bool object = false;
  if (conversion == 0 && spec && has_special(value, "__format__")) {
    if (!call_special(x, value, "__format__", {make_const(spec)}, &text) || !x.look(text))
      return false;
    if (text->kind != SymKind::kConst || !PyUnicode_CheckExact(text->object.get()))
      return x.fail(BreakReason::kRaises, "__format__");
    return f.push(std::move(text)), true;
  }
  if ((as_str || conversion == 2) && !text_of_object(x, value, as_str, &text, &object))
    return false;
  Ref shown = object ? text->object : showable(x, value);
  if (!shown) return false;
  if (!object) shown = convert(shown, conversion);
  if (!shown || !spec) return push_text(x, f, std::move(shown));
  return push_text(x, f,
                   Ref::steal(host::call(host::values, PyObject_Format, shown.get(), spec.get())));
}

}  // namespace

bool exec_ConvertValue(Executor& x, SymFrame& f, const Instr& i) {
  bool known = false;
  SymRef text;
  if (!computed_format(x, f.peek(1), i.arg, {}, &text, &known)) return false;
  if (known) return f.peek(1) = std::move(text), true;
  return show(x, f, i.arg, {});
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
  return show(x, f, conversion, spec);
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
