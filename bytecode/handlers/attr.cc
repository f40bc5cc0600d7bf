// Attribute reads, with the lookup order of object.__getattribute__.
#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "bytecode/numpy_scalars.h"
#include "guards/py/compat.h"
#include "guards/py/objects.h"
#include "guards/py/tensor_class.h"

namespace msjit {

// Attributes of tensors that are known while capturing; defined in builtins/tensor.cc.
bool tensor_attr(Executor& x, const SymRef& tensor, const char* name, SymRef* out, bool* known);

namespace {

bool bind_class(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* found,
                PyObject* name, SymRef* out);

// The object a class attribute, found by a lookup on `owner`, gives when read through an instance
// of `type`; descriptors of known types only.
bool bind(Executor& x, const SymRef& self, PyTypeObject* type, PyTypeObject* owner, PyObject* found,
          PyObject* name, SymRef* out) {
  const std::string text = fmt::format("{}.{}", type->tp_name, utf8_text(name));
  Heap& heap = x.heap();
  if (is_object_member(type, found)) {
    *out = heap.member(self, found);
    return *out || x.fail(BreakReason::kRaises, fmt::format("attribute {}", text));
  }
  if (PyFunction_Check(found) || Py_TYPE(found) == &PyMethodDescr_Type ||
      Py_TYPE(found) == &PyWrapperDescr_Type || is_op(found) ||
      Py_TYPE(found) == g_jit_callable.type) {
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
  if (Py_TYPE(found)->tp_descr_get) {
    if (!x.look(value)) return false;
    if (!has_special(value, "__get__")) return x.fail(BreakReason::kAttribute, text);
    SymRef cls = heap.from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return call_special(x, value, "__get__", {self, cls}, out);
  }
  *out = std::move(value);
  return true;
}

// Whether attribute reads of a class follow object.__getattribute__ (a __getattr__ fallback
// allowed).
bool is_generic_getattr(PyTypeObject* type) {
  if (type->tp_getattro == PyObject_GenericGetAttr) return true;
  PyObject* const found = _PyType_Lookup(type, special_name("__getattribute__"));
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && found &&
         Py_TYPE(found) == &PyWrapperDescr_Type &&
         reinterpret_cast<PyWrapperDescrObject*>(found)->d_wrapped ==
             reinterpret_cast<void*>(PyObject_GenericGetAttr);
}

bool no_attribute(Executor& x, const SymRef& self, const char* name) {
  const std::string_view type = type_of(*self)->tp_name;
  // CPython cuts long names, at lengths that differ between versions.
  if (type.size() > 50) return x.fail(BreakReason::kRaises, fmt::format("attribute {}", name));
  return x.raise_new(PyExc_AttributeError,
                     fmt::format("'{}' object has no attribute '{}'", type, name));
}

// What __getattr__ answers, or an AttributeError of object.__getattribute__.
bool object_attr(Executor& x, const SymRef& self, PyObject* name, SymRef* out) {
  if (!is_generic_getattr(type_of(*self))) {
    if (!has_special(self, "__getattribute__") || find_special(self, "__getattr__"))
      return x.fail(BreakReason::kAttribute, utf8_text(name));
    return call_special(x, self, "__getattribute__", {make_const(Ref::share(name))}, out);
  }
  if (!has_special(self, "__getattr__")) return generic_get_attr(x, self, name, out);
  {
    const Executor::Catching catching(x);
    if (generic_get_attr(x, self, name, out)) return true;
  }
  if (!x.take_raised(PyExc_AttributeError)) return x.raise_on();
  return call_special(x, self, "__getattr__", {make_const(Ref::share(name))}, out);
}

// Modules and classes: the object is pinned, the attribute's value is guarded.
bool module_attr(Executor& x, const SymRef& module, PyObject* name, SymRef* out) {
  if (module->source == kNoSource)
    module->source =
        x.heap().guards().add_source(LoadKind::kConst, kNoSource, 0, module->object, "module");
  x.heap().guard_exact_type(module);
  if (SymRef value = x.heap().instance_attr(module, name)) {
    *out = std::move(value);
    return true;
  }
  static PyObject* const names[] = {PyUnicode_InternFromString("__getattr__"),
                                    PyUnicode_InternFromString("__name__")};
  const char* text = utf8_text(name);
  SymRef own =
      x.heap().instance_attr(module, names[0]) ? nullptr : x.heap().instance_attr(module, names[1]);
  if (!own || !x.heap().realize(own) || own->kind != SymKind::kConst ||
      !PyUnicode_CheckExact(own->object.get()) || _PyType_Lookup(&PyModule_Type, name))
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a module", text));
  return x.raise_new(PyExc_AttributeError, fmt::format("module '{}' has no attribute '{}'",
                                                       utf8_text(own->object.get()), text));
}

// A class's __name__, __qualname__ and __module__: what a class statement gave it.
bool class_name(Executor& x, const SymRef& cls, PyObject* found, PyObject* name, SymRef* out,
                bool* known) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const std::string_view text(utf8_text(name));
  *known = text == "__name__" || text == "__qualname__" || text == "__module__";
  if (!*known) return true;
  const bool heap_type = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
  if (text == "__module__") {
    if (!heap_type || !found || !PyUnicode_CheckExact(found)) return *known = false, true;
    *out = x.heap().class_attr(type, name, found);
    return *out || x.fail(BreakReason::kAttribute, "__module__ of a class");
  }
  if (!heap_type) {
    const char* dot = std::strrchr(type->tp_name, '.');
    *out = make_const(Ref::steal(PyUnicode_FromString(dot ? dot + 1 : type->tp_name)));
    return true;
  }
  auto* heap = reinterpret_cast<PyHeapTypeObject*>(type);
  PyObject** at = text == "__name__" ? &heap->ht_name : &heap->ht_qualname;
  *out = x.heap().part(cls, at, std::string(text));
  return true;
}

// The object a class attribute gives when read through the class.
bool bind_class(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* found,
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

bool odd_names(Executor& x, PyTypeObject* type) {
  return x.fail(
      BreakReason::kAttribute,
      fmt::format("an attribute of {}, not all of whose names are strings,", type->tp_name));
}

bool class_attr(Executor& x, const SymRef& cls, PyObject* name, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  PyTypeObject* meta = Py_TYPE(type);
  if (!has_plain_names(type) || !has_plain_names(meta)) return odd_names(x, type);
  const bool plain_meta = _PyType_Lookup(meta, special_name("__getattribute__")) ==
                          _PyType_Lookup(&PyType_Type, special_name("__getattribute__"));
  const bool fallback = _PyType_Lookup(meta, special_name("__getattr__"));
  PyObject* found = plain_meta ? _PyType_Lookup(type, name) : nullptr;
  const char* text = utf8_text(name);
  if (!has_plain_metaclass(cls->object.get()) && !x.heap().guard_class_version(meta))
    found = nullptr;
  if (found && std::string_view(text) == "__new__" && is_builtin_new(found))
    return *out = x.heap().from_constant(Ref::share(found), text), true;
  if (found && Py_TYPE(found) == &PyClassMethodDescr_Type &&
      find_class_method(cls->object.get(), text))
    return *out = make_items(SymKind::kMethod, {make_const(Ref::share(name)), cls}), true;
  PyObject* above = _PyType_Lookup(meta, name);  // a data descriptor of the metaclass comes first
  bool named = false;
  if (above && above == _PyType_Lookup(&PyType_Type, name) && plain_meta) {
    if (!class_name(x, cls, found, name, out, &named)) return false;
    if (named) return true;
  }
  if (!guard_descriptor(x, meta, name, above)) return false;
  if (!found && !above && plain_meta && !fallback && std::strlen(type->tp_name) <= 50 &&
      x.heap().guard_class_version(type))
    return x.raise_new(PyExc_AttributeError,
                       fmt::format("type object '{}' has no attribute '{}'", type->tp_name, text));
  if (!found || (above && Py_TYPE(above)->tp_descr_set) || !compat::type_version(type))
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  // A __get__ in Python may raise what __getattr__ of the metaclass answers.
  if (fallback && (Py_TYPE(found)->tp_flags & Py_TPFLAGS_HEAPTYPE) && Py_TYPE(found)->tp_descr_get)
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  // The class itself is pinned by identity; its version tag pins what is found on it.
  x.heap().guard_class_version(type);
  if (!guard_descriptor(x, type, name, found)) return false;
  return bind_class(x, cls, type, found, name, out);
}

// What stands in a class itself. Only static types are asked for their __dict__: a metaclass may
// answer that in Python.
Ref own_attribute(PyTypeObject* type, PyObject* name) {
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
    return Ref::share(_PyDict_GetItem_KnownHash(type->tp_dict, name, PyObject_Hash(name)));
  auto* object = reinterpret_cast<PyObject*>(type);
  const Ref dict = Ref::steal(PyObject_GetAttrString(object, "__dict__"));
  Ref found = dict ? Ref::steal(PyObject_GetItem(dict.get(), name)) : Ref();
  if (!found) PyErr_Clear();
  return found;
}

bool super_attr(Executor& x, const SymRef& super, PyObject* name, SymRef* out) {
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
    return of_class ? bind_class(x, self, base, found.get(), name, out)
                    : bind(x, self, type, base, found.get(), name, out);
  }
  return x.fail(BreakReason::kAttribute, fmt::format("super().{}", utf8_text(name)));
}

// What every value of a builtin type has, and what none has.
bool builtin_attr(Executor& x, const SymRef& object, PyObject* name, SymRef* out, bool* known) {
  static PyObject* const class_text = PyUnicode_InternFromString("__class__");
  PyTypeObject* type = type_of(*object);
  *known = false;
  if (!type || object->kind == SymKind::kObject || object->kind == SymKind::kSuper) return true;
  const bool is_class = name == class_text || PyUnicode_Compare(name, class_text) == 0;
  if (is_class && _PyType_Lookup(type, name) == _PyType_Lookup(&PyBaseObject_Type, name) &&
      (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || x.heap().guard_class_version(type))) {
    *out = x.heap().from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return *known = true;
  }
  const bool value =
      object->kind == SymKind::kList || object->kind == SymKind::kDict ||
      object->kind == SymKind::kTuple || object->kind == SymKind::kSlice ||
      (object->kind == SymKind::kConst && !is_identity_constant(object->object.get()));
  if (value && type->tp_dictoffset == 0 && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
      type->tp_getattro == PyObject_GenericGetAttr && !_PyType_Lookup(type, name))
    return no_attribute(x, object, utf8_text(name));
  return true;
}

// An attribute that the class has not: one the program added to the object. A tensor that the
// region makes has none; what a branch hands on may be a tensor from before.
bool added_attr(Executor& x, const SymRef& tensor, PyObject* name, SymRef* out) {
  if (tensor->joined)
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a tensor", utf8_text(name)));
  if (tensor->source == kNoSource) return no_attribute(x, tensor, utf8_text(name));
  if (!x.heap().guard_attributes_plain(tensor))
    return x.fail(BreakReason::kAttribute, x.heap().error);
  return generic_get_attr(x, tensor, name, out);
}

// An instance of a class that derives from Tensor has attributes of its own.
bool tensor_or_class_attr(Executor& x, const SymRef& tensor, PyObject* name, SymRef* out) {
  const char* text = utf8_text(name);
  PyTypeObject* type = tensor->object ? Py_TYPE(tensor->object.get()) : &g_tensor_type;
  PyObject* found = _PyType_Lookup(type, name);
  const bool set = is_set_on_tensor(text);  // an instance may have one of its own
  if (found == _PyType_Lookup(&g_tensor_type, name) && !set) {
    bool known = false;
    if (!tensor_attr(x, tensor, text, out, &known)) return false;
    if (known) return true;
  }
  const bool derived = type != &g_tensor_type;
  if (derived && tensor->source != kNoSource && std::string_view(text) != "__dict__")
    return generic_get_attr(x, tensor, name, out);
  if (found && !derived && (!set || (tensor->source == kNoSource && !tensor->joined)))
    return bind(x, tensor, type, type, found, name, out);
  if (!derived) return added_attr(x, tensor, name, out);
  return x.fail(BreakReason::kAttribute, fmt::format("{} of a tensor", text));
}

}  // namespace

bool Executor::get_attr(const SymRef& object, PyObject* name, SymRef* out) {
  const char* text = utf8_text(name);
  if (object->kind == SymKind::kRows && find_method_model(object, text))
    return *out = make_items(SymKind::kMethod, {make_const(Ref::share(name)), object}), true;
  if (is_unread_list(*object) && find_method_model(object, text)) {
    heap_.guard_exact_type(object);
    if (!may_read(*this, object, text)) return false;
    return *out = make_items(SymKind::kMethod, {make_const(Ref::share(name)), object}), true;
  }
  if (!look(object)) return false;
  if (!may_read(*this, object, text)) return false;
  bool known = false;
  if (!builtin_attr(*this, object, name, out, &known)) return false;
  if (known) return true;
  switch (object->kind) {
    case SymKind::kObject: return object_attr(*this, object, name, out);
    case SymKind::kSuper: return super_attr(*this, object, name, out);
    case SymKind::kTensor: return tensor_or_class_attr(*this, object, name, out);
    case SymKind::kConst: {
      PyObject* constant = object->object.get();
      if (PyModule_CheckExact(constant)) return module_attr(*this, object, name, out);
      if (PyType_Check(constant)) return class_attr(*this, object, name, out);
      if (PyFunction_Check(constant)) {
        if ((*out = heap_.function_attr(object, name))) return true;
        if (heap_.error.empty() && !_PyType_Lookup(&PyFunction_Type, name))
          return no_attribute(*this, object, text);
        return fail(BreakReason::kAttribute, fmt::format("{} of {}", text, describe(*object)));
      }
      if (has_builtin_method(object, text)) break;
      if (is_array(object) && !array_attr(*this, object, text, out, &known)) return false;
      if (known) return true;
      return value_attr(*this, object, text, out);
    }
    case SymKind::kTuple:
      if (object->cls) return generic_get_attr(*this, object, name, out);
      [[fallthrough]];
    case SymKind::kList:
    case SymKind::kDict:
    case SymKind::kVars:
    case SymKind::kSet:
    case SymKind::kIterator:
      if (find_method_model(object, text)) break;
      return fail(BreakReason::kAttribute, fmt::format("{} of a {}", text, describe(*object)));
    case SymKind::kMethod:
      if (std::string_view(text) == "__self__") return *out = object->items[1], true;
      if (std::string_view(text) == "__func__") return *out = object->items[0], true;
      [[fallthrough]];
    default: return fail(BreakReason::kAttribute, fmt::format("{} of {}", text, describe(*object)));
  }
  // A method of a builtin type with a model: kept as (name, self).
  *out = make_items(SymKind::kMethod, {make_const(Ref::share(name)), object});
  return true;
}

bool generic_get_attr(Executor& x, const SymRef& self, PyObject* name, SymRef* out) {
  PyTypeObject* type = type_of(*self);
  const char* text = utf8_text(name);
  if (!has_plain_names(type)) return odd_names(x, type);
  if (std::string_view(text) == "__dict__") return instance_vars(x, self, out);
  PyObject* found = _PyType_Lookup(type, name);
  if (std::string_view(text) == "__class__" && found == _PyType_Lookup(&PyBaseObject_Type, name)) {
    *out = x.heap().from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return true;
  }
  if (!guard_descriptor(x, type, name, found)) return false;
  const bool data = found && Py_TYPE(found)->tp_descr_get && Py_TYPE(found)->tp_descr_set;
  const bool exception_args =
      self->cls && is_exception_type(type) && std::string_view(text) == "args";
  if (data && !exception_args) return bind(x, self, type, type, found, name, out);
  if (SymRef value = x.heap().instance_attr(self, name)) {
    if (value->is_null())
      return found ? bind(x, self, type, type, found, name, out) : no_attribute(x, self, text);
    *out = std::move(value);
    return true;
  }
  if (found) return bind(x, self, type, type, found, name, out);
  return no_attribute(x, self, text);
}

bool exec_LoadAttr(Executor& x, SymFrame& f, const Instr& i) {
  SymRef value;
  if (!x.get_attr(f.peek(1), f.code->name(i.arg).get(), &value)) return false;
  f.peek(1) = std::move(value);
  return true;
}

// The two slots are [method, self] or [NULL, callable] (kNullBelow), the other way round for
// kNullAbove.
namespace {

// The function and self of a method, which is how CPython leaves one on the stack between its
// lookup and its call: a region that begins in between can then look at both.
bool unbound_parts(const SymRef& method, SymRef* function, SymRef* self) {
  if (method->kind != SymKind::kMethod || method->source != kNoSource) return false;
  *function = method->items[0];
  *self = method->items[1];
  PyObject* found = (*function)->kind == SymKind::kConst ? (*function)->object.get() : nullptr;
  if (!found || !PyUnicode_CheckExact(found)) return true;
  PyTypeObject* type = is_unread_list(**self) ? &PyList_Type : type_of(**self);
  found = type && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) ? _PyType_Lookup(type, found) : nullptr;
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

}  // namespace msjit
