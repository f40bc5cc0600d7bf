// Attribute reads and writes, with the lookup order of object.__getattribute__.
#include <fmt/core.h>

#include "bytecode/exec.h"
#include "guards/py/objects.h"

namespace msjit {

// Attributes of tensors that are known while capturing; defined in builtins/tensor.cc.
bool tensor_attr(Executor& x, const SymRef& tensor, const char* name, SymRef* out, bool* known);

namespace {

// The object a class attribute gives when read through an instance, descriptors of known types
// only.
bool bind(Executor& x, const SymRef& self, PyTypeObject* type, PyObject* found, PyObject* name,
          SymRef* out) {
  const std::string text = fmt::format("{}.{}", type->tp_name, PyUnicode_AsUTF8(name));
  Heap& heap = x.heap();
  if (PyFunction_Check(found) || Py_TYPE(found) == &PyMethodDescr_Type ||
      Py_TYPE(found) == &PyWrapperDescr_Type || is_op(found) ||
      Py_TYPE(found) == g_jit_callable.type) {
    *out = make_items(SymKind::kMethod, {heap.from_constant(Ref::share(found), text), self});
    return true;
  }
  if (Py_TYPE(found) == &PyStaticMethod_Type || Py_TYPE(found) == &PyClassMethod_Type) {
    Ref inner = Ref::steal(PyObject_GetAttrString(found, "__func__"));
    if (!inner) PyErr_Clear();
    if (!inner || !PyFunction_Check(inner.get())) return x.fail(BreakReason::kAttribute, text);
    *out = heap.from_constant(inner, text);
    if (Py_TYPE(found) == &PyClassMethod_Type)
      *out = make_items(
          SymKind::kMethod,
          {*out, heap.from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name)});
    return true;
  }
  if (Py_TYPE(found) == &PyProperty_Type) {
    Ref getter = Ref::steal(PyObject_GetAttrString(found, "fget"));
    if (!getter || !PyFunction_Check(getter.get())) {
      PyErr_Clear();
      return x.fail(BreakReason::kAttribute, text);
    }
    return x.call(heap.from_constant(std::move(getter), text), {self}, nullptr, out);
  }
  if (Py_TYPE(found)->tp_descr_get) return x.fail(BreakReason::kAttribute, text);
  *out = heap.from_constant(Ref::share(found), text);
  return true;
}

bool missing(Executor& x, const SymRef& self, PyTypeObject* type, PyObject* name, SymRef* out) {
  static PyObject* const getattr_name = PyUnicode_InternFromString("__getattr__");
  PyObject* hook = _PyType_Lookup(type, getattr_name);
  if (!hook || !PyFunction_Check(hook))
    return x.fail(BreakReason::kRaises, fmt::format("attribute {}", PyUnicode_AsUTF8(name)));
  SymRef function =
      x.heap().from_constant(Ref::share(hook), fmt::format("{}.__getattr__", type->tp_name));
  return x.call(function, {self, make_const(Ref::share(name))}, nullptr, out);
}

// Whether attribute reads of a class follow object.__getattribute__ (a __getattr__ fallback
// allowed).
bool generic_getattr(PyTypeObject* type) {
  if (type->tp_getattro == PyObject_GenericGetAttr) return true;
  static PyObject* const name = PyUnicode_InternFromString("__getattribute__");
  static PyObject* const generic = _PyType_Lookup(&PyBaseObject_Type, name);
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && _PyType_Lookup(type, name) == generic;
}

bool object_attr(Executor& x, const SymRef& self, PyObject* name, SymRef* out) {
  PyTypeObject* type = Py_TYPE(self->object.get());
  const char* text = PyUnicode_AsUTF8(name);
  if (!generic_getattr(type)) return x.fail(BreakReason::kAttribute, text);
  if (std::string_view(text) == "__class__") {
    *out = x.heap().from_constant(Ref::share(reinterpret_cast<PyObject*>(type)), type->tp_name);
    return true;
  }
  if (std::string_view(text) == "__dict__") return x.fail(BreakReason::kAttribute, "__dict__");
  PyObject* found = _PyType_Lookup(type, name);
  if (found && Py_TYPE(found)->tp_descr_get && Py_TYPE(found)->tp_descr_set)
    return bind(x, self, type, found, name, out);
  if (SymRef value = x.heap().instance_attr(self, name)) {
    if (value->is_null()) return x.fail(BreakReason::kRaises, fmt::format("attribute {}", text));
    *out = std::move(value);
    return true;
  }
  if (found) return bind(x, self, type, found, name, out);
  return missing(x, self, type, name, out);
}

// Modules and classes: the object is pinned, the attribute's value is guarded.
bool module_attr(Executor& x, const SymRef& module, PyObject* name, SymRef* out) {
  if (module->source == kNoSource)
    module->source =
        x.heap().guards().add_source(LoadKind::kConst, kNoSource, 0, module->object, "module");
  if (SymRef value = x.heap().instance_attr(module, name)) {
    *out = std::move(value);
    return true;
  }
  return x.fail(BreakReason::kAttribute, fmt::format("{} of a module", PyUnicode_AsUTF8(name)));
}

bool class_attr(Executor& x, const SymRef& cls, PyObject* name, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  PyObject* found = Py_TYPE(type) == &PyType_Type ? _PyType_Lookup(type, name) : nullptr;
  const char* text = PyUnicode_AsUTF8(name);
  if (!found || _PyType_Lookup(&PyType_Type, name) ||
      !(type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG))
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  // The class itself is pinned by identity; its version tag pins what is found on it.
  x.heap().guard_class_version(type);
  if (Py_TYPE(found) == &PyStaticMethod_Type || Py_TYPE(found) == &PyClassMethod_Type) {
    Ref inner = Ref::steal(PyObject_GetAttrString(found, "__func__"));
    if (!inner || !PyFunction_Check(inner.get())) {
      PyErr_Clear();
      return x.fail(BreakReason::kAttribute, text);
    }
    SymRef function = x.heap().from_constant(std::move(inner), text);
    *out = Py_TYPE(found) == &PyClassMethod_Type ? make_items(SymKind::kMethod, {function, cls})
                                                 : function;
    return true;
  }
  if (!PyFunction_Check(found) && Py_TYPE(found)->tp_descr_get)
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  *out = x.heap().from_constant(Ref::share(found), fmt::format("{}.{}", type->tp_name, text));
  return true;
}

bool super_attr(Executor& x, const SymRef& super, PyObject* name, SymRef* out) {
  auto* start = reinterpret_cast<PyTypeObject*>(super->items[0]->object.get());
  const SymRef& self = super->items[1];
  PyTypeObject* type = Py_TYPE(self->object.get());
  PyObject* order = type->tp_mro;
  Py_ssize_t i = 0;
  while (i < PyTuple_GET_SIZE(order) &&
         PyTuple_GET_ITEM(order, i) != reinterpret_cast<PyObject*>(start))
    ++i;
  for (++i; i < PyTuple_GET_SIZE(order); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
    Ref dict = Ref::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(base), "__dict__"));
    if (!dict) {
      PyErr_Clear();
      break;
    }
    if (Ref found = Ref::steal(PyObject_GetItem(dict.get(), name)))
      return bind(x, self, type, found.get(), name, out);
    PyErr_Clear();
  }
  return x.fail(BreakReason::kAttribute, fmt::format("super().{}", PyUnicode_AsUTF8(name)));
}

}  // namespace

bool Executor::get_attr(const SymRef& object, PyObject* name, SymRef* out) {
  if (!look(object)) return false;
  const char* text = PyUnicode_AsUTF8(name);
  switch (object->kind) {
    case SymKind::kObject: return object_attr(*this, object, name, out);
    case SymKind::kSuper: return super_attr(*this, object, name, out);
    case SymKind::kTensor: {
      bool known = false;
      if (!tensor_attr(*this, object, text, out, &known)) return false;
      if (known) return true;
      PyTypeObject* type = object->object ? Py_TYPE(object->object.get()) : &g_tensor_type;
      PyObject* found = _PyType_Lookup(type, name);
      if (found) {
        if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || heap_.guard_class_version(type))
          return bind(*this, object, type, found, name, out);
      } else if (object->source != kNoSource) {
        if (SymRef value = heap_.instance_attr(object, name)) {
          *out = std::move(value);
          return true;
        }
      }
      return fail(BreakReason::kAttribute, fmt::format("{} of a tensor", text));
    }
    case SymKind::kConst: {
      PyObject* constant = object->object.get();
      if (PyModule_CheckExact(constant)) return module_attr(*this, object, name, out);
      if (PyType_Check(constant)) return class_attr(*this, object, name, out);
      if (find_method_model(object, text)) break;
      return fail(BreakReason::kAttribute, fmt::format("{} of {}", text, describe(*object)));
    }
    case SymKind::kTuple:
    case SymKind::kList:
    case SymKind::kDict:
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

bool Executor::set_attr(const SymRef& object, PyObject* name, const SymRef& value) {
  if (!look(object)) return false;
  const char* text = PyUnicode_AsUTF8(name);
  if (object->kind != SymKind::kObject) return fail(BreakReason::kStoreAttribute, text);
  PyTypeObject* type = Py_TYPE(object->object.get());
  PyObject* found = _PyType_Lookup(type, name);
  if (type->tp_setattro != PyObject_GenericSetAttr || !instance_dict(object->object.get()) ||
      (found && Py_TYPE(found)->tp_descr_set) || std::string_view(text) == "__dict__")
    return fail(BreakReason::kStoreAttribute, text);
  object->changed = true;
  bool known = false;
  for (auto& [attribute, current] : object->attributes) {
    if (attribute != text) continue;
    current = value;
    known = true;
  }
  if (!known) object->attributes.emplace_back(text, value);
  for (const std::string& written : object->written)
    if (written == text) return true;
  object->written.emplace_back(text);
  return true;
}

bool exec_LoadAttr(Executor& x, SymFrame& f, const Instr& i) {
  SymRef value;
  if (!x.get_attr(f.peek(1), f.code->name(i.arg).get(), &value)) return false;
  f.peek(1) = std::move(value);
  return true;
}

// The two slots are [method, self] or [NULL, callable] (kNullBelow), the other way round for
// kNullAbove.
bool exec_LoadMethod(Executor& x, SymFrame& f, const Instr& i) {
  SymRef value;
  if (!x.get_attr(f.peek(1), f.code->name(i.arg).get(), &value)) return false;
  f.pop();
  if (i.form == CallForm::kNullAbove) {
    f.push(std::move(value));
    f.push(null_sym());
  } else {
    f.push(null_sym());
    f.push(std::move(value));
  }
  return true;
}

bool exec_StoreAttr(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef object = f.pop();
  const SymRef value = f.pop();
  return x.set_attr(object, f.code->name(i.arg).get(), value);
}

}  // namespace msjit
