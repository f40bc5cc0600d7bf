#include <fmt/core.h>

#include "bytecode/attribute.h"
#include "bytecode/exit.h"
#include "bytecode/instance.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

PyTypeObject* super_type(const SymValue&) { return &PySuper_Type; }

// An attribute in a class's own dict. Only static types are asked for their __dict__, because a
// metaclass may answer that in Python.
Ref own_attribute(PyTypeObject* type, PyObject* name) {
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
    return Ref::share(host::call(host::checked, _PyDict_GetItem_KnownHash, type->tp_dict, name,
                                 host::call(host::values, PyObject_Hash, name)));
  auto* object = reinterpret_cast<PyObject*>(type);
  const Ref dict =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString, object, "__dict__"));
  Ref found =
      dict ? Ref::steal(host::call(host::checked, PyObject_GetItem, dict.get(), name)) : Ref();
  if (!found) PyErr_Clear();
  return found;
}

bool super_attribute(Executor& x, const SymRef& super, PyObject* name, SymRef* out) {
  auto* start = reinterpret_cast<PyTypeObject*>(super->items[0]->object.get());
  const SymRef& self = super->items[1];
  const bool of_class = self->kind == SymKind::kConst;
  PyTypeObject* type =
      of_class ? reinterpret_cast<PyTypeObject*>(self->object.get()) : type_of(*self);
  if (of_class && !x.heap().guard_class_version(type))
    return x.fail(BreakReason::kAttribute, "super() of a class");
  if (!has_plain_names(type)) return odd_names(x, type);
  PyObject* order = type->tp_mro;
  Py_ssize_t i = 0;
  while (i < PyTuple_GET_SIZE(order) &&
         PyTuple_GET_ITEM(order, i) != reinterpret_cast<PyObject*>(start))
    ++i;
  for (++i; i < PyTuple_GET_SIZE(order); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
    const Ref found = own_attribute(base, name);
    if (!found) continue;
    if (!guard_descriptor(x, base, name, found.get())) return false;
    return of_class ? bind_class_attribute(x, self, base, found.get(), name, out)
                    : bind_attribute(x, self, type, base, found.get(), name, out);
  }
  return x.fail(BreakReason::kAttribute, fmt::format("super().{}", utf8_text(name)));
}

Ref build_super(const Recipe& recipe, const Objects& objects) {
  return build_call(&PySuper_Type, recipe, objects);
}

int super_rebuild(ExitBuilder& exit, const SymRef& value) {
  return exit.add(made_by(build_super), value->items);
}

}  // namespace

const ValueKind value_super = {.name = "super object",
                               .type = super_type,
                               .attribute = super_attribute,
                               .rebuild = super_rebuild};

}  // namespace msjit
