// Attribute writes and deletions, as object.__setattr__ and object.__delattr__ do them.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/control.h"
#include "bytecode/counters.h"
#include "bytecode/instance.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "bytecode/stepping.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

namespace {

// Logs a store in an arm, which is undone at the arm's end. The old value is known by now. A store
// that adds an attribute, or a deletion, is not logged: such an arm is refused.
void note_in_arm(Executor& x, const SymRef& self, const char* name, const SymRef& value) {
  if (!x.is_forked_now() || value->is_null()) return;
  for (const auto& [known, before] : self->attributes)
    if (known == name)
      x.heap().stored().push_back({self, name, before, self->written.size(), self->changed});
}

}  // namespace

bool write_attribute(Executor& x, const SymRef& self, const char* name, const SymRef& value) {
  note_in_arm(x, self, name, value);
  if (self->source != kNoSource) self->changed = true;
  bool known = false;
  for (auto& [attribute, current] : self->attributes) {
    if (attribute != name) continue;
    // Setting a deleted attribute puts it at a new place in the dict.
    if (current->is_null() && self->source != kNoSource)
      return x.fail(BreakReason::kStoreAttribute, name);
    current = value;
    known = true;
  }
  if (!known) self->attributes.emplace_back(name, value);
  if (!known || value->is_null()) vars_resized(self);
  if (self->source == kNoSource) return true;
  for (const std::string& written : self->written)
    if (written == name) return true;
  self->written.emplace_back(name);
  return true;
}

namespace {

bool set_through(Executor& x, const SymRef& self, PyObject* found, PyObject* name,
                 const SymRef& value) {
  const char* text = utf8_text(name);
  SymRef ignored;
  if (is_writable_member(type_of(*self), found))
    return write_attribute(x, self, utf8_text(PyDescr_NAME(found)), value);
  if (Py_TYPE(found) == &PyProperty_Type) {
    const SymRef setter = wrapped_function(x, type_of(*self), name, found, "fset");
    return setter ? x.call(setter, {self, value}, nullptr, &ignored)
                  : x.fail(BreakReason::kStoreAttribute, text);
  }
  SymRef descriptor = x.heap().from_constant(Ref::share(found), text);
  if (!x.look(descriptor)) return false;
  if (!has_special(descriptor, "__set__")) return x.fail(BreakReason::kStoreAttribute, text);
  return call_special(x, descriptor, "__set__", {self, value}, &ignored);
}

// Where an int is stored over another int that has been read, later captures expect the attribute
// to change.
void note_counter(const SymRef& self, PyObject* name, const SymRef& value) {
  PyObject* const next = value->object.get();
  if (self->source == kNoSource || !self->object || !next || !PyLong_CheckExact(next)) return;
  for (const auto& [attribute, current] : self->attributes) {
    PyObject* const now = current->object.get();
    if (attribute != utf8_text(name) || !now || !PyLong_CheckExact(now)) continue;
    if (host::call(host::values, PyObject_RichCompareBool, now, next, Py_NE) == 1)
      add_counter(type_of(*self), name);
  }
}

// Whether an object has an instance dict to store into.
bool has_dict(const SymRef& self) { return type_of(*self)->tp_dictoffset != 0; }

// Whether an attribute of a Parameter already has the value. A slice of a container made in
// `construct` gives its Parameters the same names again in every call. `kept` is false where a
// store is needed.
bool keeps_attribute(Executor& x, const SymRef& tensor, PyObject* name, const SymRef& value,
                     bool* kept) {
  *kept = false;
  if (tensor->source == kNoSource || is_exact_tensor(tensor->object.get())) return true;
  PyObject* found = host::find_on_class(type_of(*tensor), name);
  if (found && Py_TYPE(found)->tp_descr_set) return true;
  if (!guard_descriptor(x, type_of(*tensor), name, found)) return false;
  const SymRef current = x.heap().instance_attr(tensor, name);
  if (!current || current->is_null()) return true;
  if (!x.look(current) || !x.look(value)) return false;
  *kept = Joiner::same(current, value);
  return true;
}

}  // namespace

bool generic_set_attr(Executor& x, const SymRef& self, PyObject* name, const SymRef& value) {
  const char* text = utf8_text(name);
  if (!x.look(self)) return false;
  if (self->kind != SymKind::kObject) return x.fail(BreakReason::kStoreAttribute, text);
  PyObject* found = host::find_on_class(type_of(*self), name);
  if (!guard_descriptor(x, type_of(*self), name, found)) return false;
  if (found && Py_TYPE(found)->tp_descr_set) return set_through(x, self, found, name, value);
  if (!has_dict(self) || std::string_view(text) == "__dict__")
    return x.fail(BreakReason::kStoreAttribute, text);
  note_counter(self, name, value);
  if (x.is_forked_now()) x.heap().instance_attr(self, name);
  return write_attribute(x, self, text, value);
}

bool generic_del_attr(Executor& x, const SymRef& self, PyObject* name) {
  const char* text = utf8_text(name);
  if (!x.look(self)) return false;
  PyObject* found =
      self->kind == SymKind::kObject ? host::find_on_class(type_of(*self), name) : nullptr;
  if (self->kind != SymKind::kObject || (found && Py_TYPE(found)->tp_descr_set) || !has_dict(self))
    return x.fail(BreakReason::kMutation, "an attribute (del)");
  if (!guard_descriptor(x, type_of(*self), name, found)) return false;
  const SymRef current = x.heap().instance_attr(self, name);
  if (!current || current->is_null())
    return x.fail(BreakReason::kRaises, fmt::format("del of {}", text));
  if (self->source != kNoSource) return write_attribute(x, self, text, null_sym());
  auto& all = self->attributes;
  all.erase(std::find_if(all.begin(), all.end(), [&](auto& a) { return a.first == text; }));
  return true;
}

bool Executor::set_attr(const SymRef& object, PyObject* name, const SymRef& value) {
  if (!look(object) || !may_store(*this, object, name)) return false;
  const char* text = utf8_text(name);
  PyTypeObject* const type = type_of(*object);
  bool kept = false;
  if (object->kind == SymKind::kTensor && type->tp_setattro == g_tensor_type.tp_setattro &&
      !keeps_attribute(*this, object, name, value, &kept))
    return false;
  if (kept) return true;
  if (object->kind != SymKind::kObject) return fail(BreakReason::kStoreAttribute, text);
  if (type->tp_setattro == PyObject_GenericSetAttr)
    return generic_set_attr(*this, object, name, value);
  SymRef ignored;
  PyObject* hook = find_special(object, "__setattr__");
  if (hook && PyFunction_Check(hook))
    return call_special(*this, object, "__setattr__", {make_const(Ref::share(name)), value},
                        &ignored);
  if (hook && Py_TYPE(hook) == &PyWrapperDescr_Type)
    return call_descriptor(*this, hook, {object, make_const(Ref::share(name)), value}, nullptr,
                           &ignored);
  return fail(BreakReason::kStoreAttribute, text);
}

bool exec_StoreAttr(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef object = f.pop();
  const SymRef value = f.pop();
  return x.set_attr(object, f.code->name(i.arg).get(), value);
}

bool exec_DeleteAttr(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef object = f.pop();
  if (!x.look(object)) return false;
  if (object->kind != SymKind::kObject || type_of(*object)->tp_setattro != PyObject_GenericSetAttr)
    return x.fail(BreakReason::kMutation, "an attribute (del)");
  return generic_del_attr(x, object, f.code->name(i.arg).get());
}

Step step_store_attr(const Stepping& s) {
  const Ref owner = s.frame.pop();
  const Ref value = s.frame.pop();
  return s.done(host::call(host::program, PyObject_SetAttr, owner.get(), s.name(), value.get()));
}

Step step_delete_attr(const Stepping& s) {
  const Ref owner = s.frame.pop();
  return s.done(host::call(host::program, PyObject_SetAttr, owner.get(), s.name(), nullptr));
}

}  // namespace msjit
