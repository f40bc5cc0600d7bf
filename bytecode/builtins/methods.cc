// Finds methods of builtin types by name. Those of containers, sets and tensors have models in
// tables. Those of numbers and texts only compute with values; they are called while capturing.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "guards/py/host_call.h"

namespace msjit {

namespace {

bool is_value(PyObject* o) {
  return PyUnicode_CheckExact(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyBool_Check(o) || PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || PyRange_Check(o) ||
         PyTuple_CheckExact(o) || PyFrozenSet_CheckExact(o) || PySlice_Check(o) || is_pattern(o) ||
         is_match(o);
}

// An attribute of a value, or of a code object.
Ref attribute_of(PyObject* o, PyObject* name) {
  return Ref::steal(is_pattern(o) || is_match(o)
                        ? host::call(host::checked, PyObject_GetAttr, o, name)
                        : host::call(host::of_static, PyObject_GetAttr, o, name));
}

// Whether a value type has a method of this name that CPython implements.
bool has_value_method(PyTypeObject* type, const char* name) {
  Ref text = interned_text(name);
  PyObject* found = text ? host::find_on_class(type, text.get()) : nullptr;
  return found && name[0] != '_' && Py_TYPE(found) == &PyMethodDescr_Type;
}

}  // namespace

BuiltinModel find_row(std::span<const ModelRow> rows, const char* name) {
  for (const ModelRow& row : rows)
    if (std::strcmp(row.name, name) == 0) return row.model;
  return nullptr;
}

bool has_builtin_method(const SymRef& self, const char* name) {
  if (find_method_model(self, name)) return true;
  return self->kind == SymKind::kConst && is_value(self->object.get()) &&
         has_value_method(Py_TYPE(self->object.get()), name);
}

bool value_attr(Executor& x, const SymRef& value, const char* name, SymRef* out) {
  PyObject* object = value->object.get();
  Ref text = interned_text(name);
  PyObject* found = text ? host::find_on_class(Py_TYPE(object), text.get()) : nullptr;
  const bool data =
      found && (Py_TYPE(found) == &PyGetSetDescr_Type || Py_TYPE(found) == &PyMemberDescr_Type);
  if ((is_value(object) || PyCode_Check(object)) && data && name[0] != '_')
    if (Ref answer = attribute_of(object, text.get()))
      if ((*out = from_python(answer))) return true;
  PyErr_Clear();
  return x.fail(BreakReason::kAttribute, fmt::format("{} of {}", name, describe(*value)));
}

bool call_builtin_method(Executor& x, const char* name, Args args, PyObject* names, SymRef* out) {
  const SymRef& self = args[0];
  if (BuiltinModel model = find_method_model(self, name)) return model(x, args, names, out);
  if (self->kind == SymKind::kRows) return x.look(self);
  if (!has_builtin_method(self, name))
    return x.fail(BreakReason::kCallUnknown, fmt::format("{}.{}", describe(*self), name));
  const Ref method = attribute_of(self->object.get(), interned_text(name).get());
  const std::string text = fmt::format("{}.{}", Py_TYPE(self->object.get())->tp_name, name);
  if (!method) return PyErr_Clear(), wrong_arguments(x, text.c_str());
  const std::vector<SymRef> rest(args.begin() + 1, args.end());
  return call_pure(x, method.get(), text.c_str(), rest, names, out);
}

}  // namespace msjit
