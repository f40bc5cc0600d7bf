// Attribute reads.
#include <fmt/core.h>

#include "bytecode/attribute.h"
#include "bytecode/builtins/models.h"
#include "bytecode/language.h"
#include "bytecode/stepping.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

// Exported by all versions of CPython, but declared by some only.
extern "C" int _PyObject_GetMethod(PyObject* object, PyObject* name, PyObject** method);

namespace msjit {
namespace {

// Attributes that values of all builtin types have (__class__), or that none has.
bool builtin_attr(Executor& x, const SymRef& object, PyObject* name, SymRef* out, bool* known) {
  static PyObject* const class_text = special_name("__class__");
  PyTypeObject* type = type_of(*object);
  *known = false;
  if (!type || object->kind == SymKind::kObject || object->kind == SymKind::kSuper) return true;
  const bool is_class = name == class_text || PyUnicode_Compare(name, class_text) == 0;
  if (is_class &&
      host::find_on_class(type, name) == host::find_on_class(&PyBaseObject_Type, name) &&
      (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || x.heap().guard_class_version(type))) {
    *out = x.heap().from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return *known = true;
  }
  const bool value =
      object->kind == SymKind::kList || object->kind == SymKind::kDict ||
      object->kind == SymKind::kTuple || object->kind == SymKind::kSlice ||
      (object->kind == SymKind::kConst && !is_identity_constant(object->object.get()));
  if (value && type->tp_dictoffset == 0 && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
      type->tp_getattro == PyObject_GenericGetAttr && !host::find_on_class(type, name))
    return no_attribute(x, object, utf8_text(name));
  return true;
}

}  // namespace

bool bound_by_name(const SymRef& self, PyObject* name, SymRef* out) {
  return *out = make_items(SymKind::kMethod, {make_const(Ref::share(name)), self}), true;
}

bool method_attribute(Executor& x, const SymRef& self, PyObject* name, SymRef* out) {
  const char* const text = utf8_text(name);
  if (find_method_model(self, text)) return bound_by_name(self, name, out);
  const char* const article = kind_of(self).method ? "a " : "";
  return x.fail(BreakReason::kAttribute, fmt::format("{} of {}{}", text, article, describe(*self)));
}

bool Executor::get_attr(const SymRef& object, PyObject* name, SymRef* out) {
  const ValueKind& unread = kind_of(object);
  if (unread.asked_unread && unread.attribute) return unread.attribute(*this, object, name, out);
  if (!look(object) || !may_read(*this, object, utf8_text(name))) return false;
  bool known = false;
  if (!builtin_attr(*this, object, name, out, &known)) return false;
  if (known) return true;
  const auto read = kind_of(object).attribute;
  return read ? read(*this, object, name, out) : method_attribute(*this, object, name, out);
}

bool exec_LoadAttr(Executor& x, SymFrame& f, const Instr& i) {
  SymRef value;
  if (!x.get_attr(f.peek(1), f.code->name(i.arg).get(), &value)) return false;
  f.peek(1) = std::move(value);
  return true;
}

// LoadMethod: the two slots are [method, self] or [NULL, callable] for kNullBelow, the other way
// round for kNullAbove.
namespace {

// Splits a method into its function and self. CPython leaves it on the stack like this between
// lookup and call, so that a region that begins in between can look at both.
bool unbound_parts(const SymRef& method, SymRef* function, SymRef* self) {
  if (method->kind != SymKind::kMethod || method->source != kNoSource) return false;
  *function = method->items[0];
  *self = method->items[1];
  PyObject* found = (*function)->kind == SymKind::kConst ? (*function)->object.get() : nullptr;
  if (!found || !PyUnicode_CheckExact(found)) return true;
  PyTypeObject* type = is_unread_list(**self) ? &PyList_Type : type_of(**self);
  found =
      type && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) ? host::find_on_class(type, found) : nullptr;
  if (!found || Py_TYPE(found) != &PyMethodDescr_Type) return false;
  *function = make_const(Ref::share(found));
  return true;
}

}  // namespace

bool exec_LoadMethod(Executor& x, SymFrame& f, const Instr& i) {
  SymRef value, function, self;
  if (!x.get_attr(f.peek(1), f.code->name(i.arg).get(), &value)) return false;
  f.pop();
  if (unbound_parts(value, &function, &self)) {
    f.push(std::move(function));
    f.push(std::move(self));
  } else if (i.form == CallForm::kNullAbove) {
    f.push(std::move(value));
    f.push(null_sym());
  } else {
    f.push(null_sym());
    f.push(std::move(value));
  }
  return true;
}

Step step_load_attr(const Stepping& s) {
  const Ref owner = s.frame.pop();
  return s.push(Ref::steal(host::call(host::program, PyObject_GetAttr, owner.get(), s.name())));
}

Step step_load_method(const Stepping& s) {
  Ref owner = s.frame.pop();
  PyObject* found = nullptr;
  const bool unbound = _PyObject_GetMethod(owner.get(), s.name(), &found) != 0;
  Ref attribute = Ref::steal(found);
  if (!attribute) return s.raised();
  if (s.instr.form == CallForm::kNullBelow && !unbound) s.frame.push({});
  s.frame.push(std::move(attribute));
  if (unbound)
    s.frame.push(std::move(owner));
  else if (s.instr.form == CallForm::kNullAbove)
    s.frame.push({});
  return s.next();
}

}  // namespace msjit
