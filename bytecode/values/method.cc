// Bound methods. A method of a builtin type that has a model is bound by its name.
#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/instance.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

std::string method_describe(const SymValue& value) {
  return "method of " + describe(*value.items[1]);
}

bool is_descriptor(const PyObject* function) {
  return Py_TYPE(function) == &PyMethodDescr_Type || Py_TYPE(function) == &PyWrapperDescr_Type;
}

PyTypeObject* method_type(const SymValue& value) {
  PyObject* function = value.items[0]->object.get();
  const bool builtin = function && (PyUnicode_Check(function) || is_descriptor(function));
  return builtin ? nullptr : &PyMethod_Type;
}

bool method_takes(PyObject* object) { return PyMethod_Check(object) || is_bound_builtin(object); }

bool method_read(Heap& heap, const SymRef& value) {
  PyObject* const object = value->object.get();
  heap.guard_exact_type(value);
  if (PyMethod_Check(object)) {
    GuardBuilder& guards = heap.guards();
    const SourceId id = value->source;
    const std::string text = guards.source(id).text;
    const SourceId function =
        guards.add_source(load::method_function, id, 0, {}, text + ".__func__");
    const SourceId self = guards.add_source(load::method_self, id, 0, {}, text + ".__self__");
    value->items = {heap.from_source(function, PyMethod_GET_FUNCTION(object)),
                    heap.from_source(self, PyMethod_GET_SELF(object))};
  } else {  // of a builtin class, as `append = items.append` keeps it: nothing replaces its parts
    auto* const method = reinterpret_cast<PyCFunctionObject*>(object);
    heap.guards().add(guard::builtin_method, value->source,
                      {.number = reinterpret_cast<intptr_t>(method->m_ml)});
    const SymRef self = heap.part(value, &method->m_self, "__self__");
    heap.guard_exact_type(self);  // a derived class may bind the same method
    const Ref name = interned_text(method->m_ml->ml_name);
    PyObject* const own = host::find_on_class(Py_TYPE(method->m_self), name.get());
    value->items = {make_const(own && is_legacy_method(own) ? Ref::share(own) : name), self};
  }
  value->kind = SymKind::kMethod;
  return true;
}

bool method_truth(Executor&, const SymRef&, bool* out) { return *out = true; }

bool method_attribute_of(Executor& x, const SymRef& method, PyObject* name, SymRef* out) {
  const std::string_view text = utf8_text(name);
  if (text == "__self__") return *out = method->items[1], true;
  if (text == "__func__") return *out = method->items[0], true;
  const SymRef& function = method->items[0];
  const PyObject* const known = function->object.get();
  const bool plain = function->kind == SymKind::kFunction || (known && PyFunction_Check(known));
  if (plain && !host::find_on_class(&PyMethod_Type, name)) return x.get_attr(function, name, out);
  return method_attribute(x, method, name, out);
}

bool method_call(Executor& x, const SymRef& method, std::vector<SymRef> args, PyObject* names,
                 SymRef* out) {
  const SymRef function = method->items[0], self = method->items[1];
  if (!x.look(function)) return false;
  args.insert(args.begin(), self);
  PyObject* const known = function->kind == SymKind::kConst ? function->object.get() : nullptr;
  if (known && PyUnicode_CheckExact(known)) {
    const char* const name = utf8_text(known);
    if (self->kind == SymKind::kLazy && !find_method_model(self, name) && !x.look(self))
      return false;
    return call_builtin_method(x, name, args, names, out);
  }
  if (!known || !is_descriptor(known)) return x.call(function, std::move(args), names, out);
  const bool unread = is_unread_list(*self);
  if (!unread && self->kind != SymKind::kRows && !x.look(self)) return false;
  if (unread || self->kind == SymKind::kObject)
    return call_descriptor(x, known, std::move(args), names, out);
  PyObject* const name = PyDescr_NAME(known);
  return call_builtin_method(x, name ? utf8_text(name) : "?", args, names, out);
}

// Methods of builtin types bind to objects of another class than Python functions do.
Ref build_method(const Recipe& recipe, const Objects& objects) {
  PyObject *const function = argument(recipe, objects, 0), *const self =
                                                               argument(recipe, objects, 1);
  PyTypeObject* const type = Py_TYPE(function);
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type)
    return Ref::steal(host::call(host::checked, type->tp_descr_get, function, self,
                                 reinterpret_cast<PyObject*>(Py_TYPE(self))));
  return Ref::steal(PyMethod_New(function, self));
}

int method_rebuild(ExitBuilder& exit, const SymRef& value) {
  const SymRef& function = value->items[0];
  if (function->kind != SymKind::kConst || !PyUnicode_Check(function->object.get()))
    return exit.add(made_by(build_method), value->items);
  Recipe made = made_by(build_attribute);
  made.object = function->object;
  return exit.add(std::move(made), {value->items[1]});
}

}  // namespace

const ValueKind value_method = {.describe = method_describe,
                                .type = method_type,
                                .takes = method_takes,
                                .read = method_read,
                                .declined_by_tensors = true,
                                .truth = method_truth,
                                .attribute = method_attribute_of,
                                .call = method_call,
                                .rebuild = method_rebuild};

}  // namespace msjit
