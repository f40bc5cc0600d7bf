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

bool bind_attribute(Executor& x, const SymRef& self, PyTypeObject* type, PyTypeObject* owner,
                    PyObject* found, PyObject* name, SymRef* out) {
  const std::string text = fmt::format("{}.{}", type->tp_name, utf8_text(name));
  Heap& heap = x.heap();
  if (is_object_member(type, found)) {
    *out = heap.member(self, found);
    return *out || x.fail(BreakReason::kRaises, fmt::format("attribute {}", text));
  }
  if (PyFunction_Check(found) || Py_TYPE(found) == &PyMethodDescr_Type ||
      Py_TYPE(found) == &PyWrapperDescr_Type || is_op(found) ||
      Py_TYPE(found) == g_jit_callable.type || is_legacy_method(found)) {
    *out = make_items(SymKind::kMethod, {heap.from_constant(Ref::share(found), text), self});
    return true;
  }
  if (Py_TYPE(found) == &PyStaticMethod_Type) {
    *out = wrapped_object(x, owner, name, found, "__func__");
    return *out || x.fail(BreakReason::kAttribute, text);
  }
  if (Py_TYPE(found) == &PyClassMethod_Type) {
    if (!may_bind_class(x, type, utf8_text(name))) return false;
    *out = wrapped_function(x, owner, name, found, "__func__");
    if (!*out) return x.fail(BreakReason::kAttribute, text);
    *out = make_items(
        SymKind::kMethod,
        {*out, heap.from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name)});
    return true;
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
  if (Py_TYPE(found)->tp_descr_get) {
    if (!x.look(value)) return false;
    if (!has_special(value, "__get__")) return x.fail(BreakReason::kAttribute, text);
    SymRef cls = heap.from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return call_special(x, value, "__get__", {self, cls}, out);
  }
  *out = std::move(value);
  return true;
}

bool bind_class_attribute(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* found,
                          PyObject* name, SymRef* out) {
  const char* text = utf8_text(name);
  if (Py_TYPE(found) == &PyStaticMethod_Type) {
    *out = wrapped_object(x, owner, name, found, "__func__");
    return *out || x.fail(BreakReason::kAttribute, text);
  }
  if (Py_TYPE(found) == &PyClassMethod_Type) {
    SymRef function = wrapped_function(x, owner, name, found, "__func__");
    if (!function) return x.fail(BreakReason::kAttribute, text);
    *out = make_items(SymKind::kMethod, {function, cls});
    return true;
  }
  *out = x.heap().class_attr(owner, name, found);
  if (!*out) return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  const bool plain = PyFunction_Check(found) || Py_TYPE(found) == &PyWrapperDescr_Type ||
                     Py_TYPE(found) == &PyMethodDescr_Type || is_op(found);
  if (plain || !Py_TYPE(found)->tp_descr_get) return true;
  if (!x.look(*out)) return false;
  if (!has_special(*out, "__get__"))
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  const SymRef descriptor = *out;
  return call_special(x, descriptor, "__get__", {make_const(Ref::none()), cls}, out);
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
