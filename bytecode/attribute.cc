#include "bytecode/attribute.h"

#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/instance.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "guards/py/cached_calls.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

bool no_attribute(Executor& x, const SymRef& self, const char* name) {
  const std::string_view type = type_of(*self)->tp_name;
  // CPython's message truncates long class names, at lengths that differ between versions.
  if (type.size() > 50) return x.fail(BreakReason::kRaises, fmt::format("attribute {}", name));
  return x.raise_new(PyExc_AttributeError,
                     fmt::format("'{}' object has no attribute '{}'", type, name));
}

bool odd_names(Executor& x, PyTypeObject* type) {
  return x.fail(
      BreakReason::kAttribute,
      fmt::format("an attribute of {}, not all of whose names are strings,", type->tp_name));
}

namespace {

// Functions, methods of builtin classes and ops: bound to an instance, it is their first argument.
bool is_plain_method(PyObject* found) {
  return PyFunction_Check(found) || Py_TYPE(found) == &PyMethodDescr_Type ||
         Py_TYPE(found) == &PyWrapperDescr_Type || is_op(found);
}

bool is_wrapper(PyObject* found) {
  return Py_TYPE(found) == &PyStaticMethod_Type || Py_TYPE(found) == &PyClassMethod_Type;
}

// What a staticmethod gives, or a classmethod bound to `cls`. `text` names it in break reasons.
bool unwrap_method(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* name,
                   PyObject* found, const std::string& text, SymRef* out) {
  const bool of_class = Py_TYPE(found) == &PyClassMethod_Type;
  *out = of_class ? wrapped_function(x, owner, name, found, "__func__")
                  : wrapped_object(x, owner, name, found, "__func__");
  if (!*out) return x.fail(BreakReason::kAttribute, text);
  if (of_class) *out = make_items(SymKind::kMethod, {*out, cls});
  return true;
}

// What the `__get__` of a descriptor of the program returns.
bool call_get(Executor& x, const SymRef& descriptor, const SymRef& self, const SymRef& cls,
              const std::string& text, SymRef* out) {
  if (!x.look(descriptor)) return false;
  if (!has_special(descriptor, "__get__")) return x.fail(BreakReason::kAttribute, text);
  return call_special(x, descriptor, "__get__", {self, cls}, out);
}

}  // namespace

bool bind_attribute(Executor& x, const SymRef& self, PyTypeObject* type, PyTypeObject* owner,
                    PyObject* found, PyObject* name, SymRef* out) {
  const std::string text = fmt::format("{}.{}", type->tp_name, utf8_text(name));
  Heap& heap = x.heap();
  const auto cls = [&] {
    return heap.from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
  };
  if (is_object_member(type, found)) {
    *out = heap.member(self, found);
    return *out || x.fail(BreakReason::kRaises, fmt::format("attribute {}", text));
  }
  if (is_plain_method(found) || Py_TYPE(found) == g_jit_callable.type || is_legacy_method(found)) {
    *out = make_items(SymKind::kMethod, {heap.from_constant(Ref::share(found), text), self});
    return true;
  }
  if (is_wrapper(found)) {
    const bool of_class = Py_TYPE(found) == &PyClassMethod_Type;
    if (of_class && !may_bind_class(x, type, utf8_text(name))) return false;
    return unwrap_method(x, of_class ? cls() : nullptr, owner, name, found, text, out);
  }
  if (Py_TYPE(found) == &PyProperty_Type) {
    const SymRef getter = wrapped_function(x, owner, name, found, "fget");
    return getter ? x.call(getter, {self}, nullptr, out) : x.fail(BreakReason::kAttribute, text);
  }
  if (const int field = tuple_field(found); field >= 0 && self->kind == SymKind::kTuple) {
    if (field >= static_cast<int>(self->items.size())) return x.fail(BreakReason::kRaises, text);
    *out = self->items[field];
    return true;
  }
  if (PyObject* const field = enum_field(type, found, name)) return x.get_attr(self, field, out);
  SymRef value = heap.class_attr(owner, name, found);
  if (!value) return x.fail(BreakReason::kAttribute, text);
  if (is_cached_function(found))
    return *out = make_items(SymKind::kMethod, {std::move(value), self}), true;
  if (Py_TYPE(found)->tp_descr_get) return call_get(x, value, self, cls(), text, out);
  *out = std::move(value);
  return true;
}

bool bind_class_attribute(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* found,
                          PyObject* name, SymRef* out) {
  const std::string text = utf8_text(name);
  if (is_wrapper(found)) return unwrap_method(x, cls, owner, name, found, text, out);
  *out = x.heap().class_attr(owner, name, found);
  if (!*out) return x.fail(BreakReason::kAttribute, text + " of a class");
  if (is_plain_method(found) || !Py_TYPE(found)->tp_descr_get) return true;
  const SymRef descriptor = *out;
  return call_get(x, descriptor, make_const(Ref::none()), cls, text + " of a class", out);
}

bool generic_get_attr(Executor& x, const SymRef& self, PyObject* name, SymRef* out) {
  PyTypeObject* type = type_of(*self);
  const char* text = utf8_text(name);
  if (!has_plain_names(type)) return odd_names(x, type);
  if (std::string_view(text) == "__dict__") return instance_vars(x, self, out);
  PyObject* found = host::find_on_class(type, name);
  if (std::string_view(text) == "__class__" &&
      found == host::find_on_class(&PyBaseObject_Type, name)) {
    *out = x.heap().from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return true;
  }
  if (!guard_descriptor(x, type, name, found)) return false;
  const bool data = found && Py_TYPE(found)->tp_descr_get && Py_TYPE(found)->tp_descr_set;
  const bool exception_args =
      self->cls && is_exception_type(type) && std::string_view(text) == "args";
  if (data && !exception_args) return bind_attribute(x, self, type, type, found, name, out);
  if (SymRef value = x.heap().instance_attr(self, name)) {
    if (value->is_null())
      return found ? bind_attribute(x, self, type, type, found, name, out)
                   : no_attribute(x, self, text);
    *out = std::move(value);
    return true;
  }
  if (found) return bind_attribute(x, self, type, type, found, name, out);
  return no_attribute(x, self, text);
}

}  // namespace msjit
