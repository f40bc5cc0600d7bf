#include "bytecode/language.h"
#include "bytecode/library.h"

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "bytecode/handlers/operands.h"
#include "bytecode/numpy_dtypes.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/mapping_proxy.h"
#include "guards/py/host_call.h"
#include "guards/py/twister.h"

#include <fmt/core.h>

#include <cstring>

namespace msjit {

PyObject* find_special(const SymRef& self, const char* name) {
  PyTypeObject* type = type_of(*self);
  if (!type) return nullptr;
  return host::find_on_class(type, special_name(name));
}

bool has_special(const SymRef& self, const char* name) {
  PyObject* found = self->kind == SymKind::kObject ? find_special(self, name) : nullptr;
  return found && (PyFunction_Check(found) || is_container_method(type_of(*self), found));
}

bool call_special(Executor& x, const SymRef& self, const char* name, std::vector<SymRef> args,
                  SymRef* out) {
  if (!may_use(x, self)) return false;
  PyObject* found = find_special(self, name);
  if (self->kind == SymKind::kObject && is_container_method(type_of(*self), found)) {
    args.insert(args.begin(), self);
    return call_container_method(x, name, std::move(args), nullptr, out);
  }
  if (!found || !PyFunction_Check(found))
    return x.fail(BreakReason::kUnsupported, fmt::format("{} of {}", name, describe(*self)));
  args.insert(args.begin(), self);
  const std::string text = fmt::format("{}.{}", type_of(*self)->tp_name, name);
  return x.call(x.heap().from_constant(Ref::share(found), text), std::move(args), nullptr, out);
}

bool guard_descriptor(Executor& x, PyTypeObject* owner, PyObject* name, PyObject* found) {
  if (!found || (!(Py_TYPE(found)->tp_flags & Py_TPFLAGS_HEAPTYPE) && !PyModule_Check(found)))
    return true;
  const SymRef value = x.heap().class_attr(owner, name, found);
  return (value && x.heap().guard_type_of(value)) ||
         x.fail(BreakReason::kAttribute, fmt::format("{}.{}", owner->tp_name, utf8_text(name)));
}

SymRef wrapped_object(Executor& x, PyTypeObject* owner, PyObject* name, PyObject* found,
                      const char* part) {
  PyTypeObject* const kind = Py_TYPE(found);
  PyObject* const descriptor = host::find_on_class(kind, special_name(part));
  if (!descriptor || !is_object_member(kind, descriptor)) return nullptr;
  const SymRef holder = x.heap().class_attr(owner, name, found);
  return holder ? x.heap().member(holder, descriptor) : nullptr;
}

SymRef wrapped_function(Executor& x, PyTypeObject* owner, PyObject* name, PyObject* found,
                        const char* part) {
  SymRef function = wrapped_object(x, owner, name, found, part);
  return function && PyFunction_Check(function->object.get()) ? function : nullptr;
}

bool tells_its_class(PyTypeObject* type) {
  static PyObject* const name = special_name("__class__");
  static PyObject* const reader = special_name("__getattribute__");
  return host::find_on_class(type, name) == host::find_on_class(&PyBaseObject_Type, name) &&
         Py_TYPE(host::find_on_class(type, reader)) == &PyWrapperDescr_Type;
}

namespace {
// Whether a value is the empty tuple, of which there is only one.
bool is_empty_tuple(Executor& x, const SymRef& value) {
  return is_plain_tuple(value) && x.heap().items(value)->empty();
}
}  // namespace

bool identical(Executor& x, const SymRef& a, const SymRef& b, bool* out) {
  if (!x.look_open(a) || !x.look_open(b)) return false;
  *out = a == b;
  if (*out || type_of(*a) != type_of(*b)) {
    if (a->kind == SymKind::kSize || b->kind == SymKind::kSize) return true;
  }
  if (!x.look(a) || !x.look(b)) return false;
  *out = *out || (is_empty_tuple(x, a) && is_empty_tuple(x, b));
  const bool number = a->kind == SymKind::kScalar;
  if (!*out && a->kind == b->kind && !number && (a->joined || b->joined))
    return x.fail(BreakReason::kUnsupported,
                  fmt::format("identity of a {} behind a branch", describe(*a)));
  if (*out || !a->object || !b->object) return true;
  *out = a->object == b->object;
  // Both are read from the program. They may be one object in one call and two in the next, so a
  // guard is needed, with two exceptions: both are pinned as constants, or one is pinned and the
  // types, which guards pin as well, differ.
  const auto pinned = [](const SymRef& value) {
    return value->is_const(Py_None) || value->is_const(Py_True) || value->is_const(Py_False) ||
           value->is_const(Py_NotImplemented) || value->is_const(Py_Ellipsis) ||
           (value->kind == SymKind::kConst &&
            (is_identity_constant(value->object.get()) || is_numpy_dtype(value->object.get())));
  };
  const bool different_types = Py_TYPE(a->object.get()) != Py_TYPE(b->object.get());
  if ((pinned(a) && (pinned(b) || different_types)) || (pinned(b) && different_types)) return true;
  if (a->source == kNoSource || b->source == kNoSource)  // a value without a source keeps its type
    return different_types ||
           x.fail(BreakReason::kUnsupported,
                  "`is` between a value that the region makes and another value");
  x.heap().guards().add(*out ? guard::same : guard::different, a->source, {.other = b->source});
  return true;
}

namespace {

PyTypeObject* static_base(PyTypeObject* type) {
  while (type->tp_flags & Py_TPFLAGS_HEAPTYPE) type = type->tp_base;
  return type;
}

PyObject* object_member(const char* name) {
  return host::find_on_class(&PyBaseObject_Type, special_name(name));
}

// Whether the state of such an exception is its arguments alone.
bool is_simple_exception(PyTypeObject* base) {
  if (!is_exception_type(base)) return false;
  auto* plain = reinterpret_cast<PyTypeObject*>(PyExc_BaseException);
  if (base->tp_new != plain->tp_new) return false;
  return base->tp_init == plain->tp_init ||
         reinterpret_cast<PyObject*>(base) == PyExc_StopIteration ||
         reinterpret_cast<PyObject*>(base) == PyExc_AttributeError ||
         reinterpret_cast<PyObject*>(base) == PyExc_NameError ||
         reinterpret_cast<PyObject*>(base) == PyExc_UnboundLocalError;
}

void set_attribute(const SymRef& self, const char* name, SymRef value) {
  for (auto& [known, current] : self->attributes)
    if (known == name) return void(current = std::move(value));
  self->attributes.emplace_back(name, std::move(value));
}

bool make_instance(Executor& x, const SymRef& cls, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  PyTypeObject* base = static_base(type);
  const bool exception = is_simple_exception(base);
  PyObject* del = special_name("__del__");
  const bool table = is_container_base(base) && type != base;
  if ((base != &PyBaseObject_Type && !exception && !table) || host::find_on_class(type, del))
    return x.fail(BreakReason::kMakeInstance, type->tp_name);
  if (type->tp_flags & Py_TPFLAGS_IS_ABSTRACT)
    return x.fail(BreakReason::kRaises, fmt::format("making an abstract {}", type->tp_name));
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) && !x.heap().guard_class_version(type))
    return x.fail(BreakReason::kMakeInstance, type->tp_name);
  SymRef made = make_sym(SymKind::kObject);
  made->cls = cls->object;
  made->born = x.root_step();
  if (table) made->items = {new_contents(type)};
  *out = std::move(made);
  return true;
}

bool init_instance(Executor& x, const SymRef& self, bool plain_new, std::vector<SymRef> args,
                   PyObject* names) {
  PyObject* init = find_special(self, "__init__");
  const char* name = type_of(*self)->tp_name;
  SymRef result;
  args.insert(args.begin(), self);
  if (init && PyFunction_Check(init)) {
    SymRef function = x.heap().from_constant(Ref::share(init), fmt::format("{}.__init__", name));
    if (!x.call(function, std::move(args), names, &result)) return false;
    if (!x.look(result)) return false;
    return result->is_const(Py_None) || x.fail(BreakReason::kRaises, "__init__ of a result");
  }
  if (init && init == object_member("__init__")) {
    if (plain_new && args.size() > 1)
      return x.fail(BreakReason::kRaises, fmt::format("{}() with arguments", name));
    return true;
  }
  if (init && Py_TYPE(init) == &PyWrapperDescr_Type)
    return call_descriptor(x, init, std::move(args), names, &result);
  return x.fail(BreakReason::kMakeInstance, name);
}

}  // namespace

bool is_builtin_new(PyObject* function) {
  return PyCFunction_Check(function) && PyCFunction_GET_SELF(function) &&
         PyType_Check(PyCFunction_GET_SELF(function)) &&
         std::strcmp(reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name, "__new__") == 0;
}

bool call_builtin_new(Executor& x, PyObject* function, const std::vector<SymRef>& args,
                      SymRef* out) {
  auto* owner = reinterpret_cast<PyTypeObject*>(PyCFunction_GET_SELF(function));
  if (args.empty() || !x.look(args[0]) || args[0]->kind != SymKind::kConst ||
      !PyType_Check(args[0]->object.get()))
    return x.fail(BreakReason::kRaises, fmt::format("{}.__new__", owner->tp_name));
  auto* type = reinterpret_cast<PyTypeObject*>(args[0]->object.get());
  const bool exception = is_exception_type(owner);
  if (owner == &PyTuple_Type) return new_tuple(x, args[0], args, out);
  const bool table = is_container_base(owner);
  if (!PyType_IsSubtype(type, owner) ||
      !(exception ? is_simple_exception(static_base(type)) : table || owner == &PyBaseObject_Type))
    return x.fail(BreakReason::kMakeInstance, type->tp_name);
  // object.__new__ accepts arguments only when the class uses them in its __init__.
  if (!exception && !table && args.size() > 1 &&
      (type->tp_new != PyBaseObject_Type.tp_new || type->tp_init == PyBaseObject_Type.tp_init))
    return x.fail(BreakReason::kRaises, "object.__new__ with arguments");
  if (!make_instance(x, args[0], out)) return false;
  if (exception)
    set_attribute(*out, "args", make_items(SymKind::kTuple, {args.begin() + 1, args.end()}));
  return true;
}

// types.MethodType(function, object).
static bool make_method(Executor& x, const std::vector<SymRef>& args, PyObject* names,
                        SymRef* out) {
  if (names || args.size() != 2 || !x.look(args[0]) || !x.look_open(args[1]))
    return names || args.size() != 2 ? x.fail(BreakReason::kRaises, "method()") : false;
  const bool function =
      args[0]->kind == SymKind::kFunction ||
      (args[0]->kind == SymKind::kConst && PyFunction_Check(args[0]->object.get()));
  if (!function || args[1]->is_const(Py_None))
    return x.fail(BreakReason::kMakeInstance, "a method of " + describe(*args[0]));
  *out = make_items(SymKind::kMethod, args);
  return true;
}

bool construct(Executor& x, const SymRef& cls, std::vector<SymRef> args, PyObject* names,
               SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const bool heap_type = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
  if (!may_make(x, type)) return false;
  if (type == &PyMethod_Type) return make_method(x, args, names, out);
  if (type == &PyDictProxy_Type) return make_mapping_proxy(x, args, names, out);
  if (is_enum_class(cls) && args.size() == 1 && !names) return enum_call(x, cls, args[0], out);
  if (Py_TYPE(type)->tp_call != PyType_Type.tp_call)
    return x.fail(BreakReason::kCallUnknown, describe(*cls));
  if (heap_type && !x.heap().guard_class_version(type))
    return x.fail(BreakReason::kMakeInstance, type->tp_name);
  static PyObject* const new_name = special_name("__new__");
  PyObject* found = host::find_on_class(type, new_name);
  if (!found) return x.fail(BreakReason::kMakeInstance, type->tp_name);
  const bool plain_new = found == object_member("__new__");
  std::vector<SymRef> with_class = args;
  with_class.insert(with_class.begin(), cls);
  if (is_builtin_new(found)) {
    // The __init__ of `object` and of exceptions checks the arguments again.
    if (plain_new)
      with_class.resize(1);
    else if (names)
      with_class.resize(with_class.size() - PyTuple_GET_SIZE(names));
    if (!call_builtin_new(x, found, with_class, out)) return false;
  } else {
    const SymRef function = Py_TYPE(found) == &PyStaticMethod_Type
                                ? wrapped_function(x, type, new_name, found, "__func__")
                                : nullptr;
    if (!function) return x.fail(BreakReason::kMakeInstance, type->tp_name);
    if (!x.call(function, std::move(with_class), names, out)) return false;
    if (!x.look(*out)) return false;
    PyTypeObject* made = type_of(**out);
    if (!made) return x.fail(BreakReason::kMakeInstance, type->tp_name);
    if (!PyType_IsSubtype(made, type)) return true;
    if ((*out)->kind != SymKind::kObject && !(*out)->cls)
      return x.fail(BreakReason::kMakeInstance, type->tp_name);
  }
  return init_instance(x, *out, plain_new, std::move(args), names);
}

namespace {

bool exception_init(Executor& x, const std::vector<SymRef>& args, PyObject* names) {
  if (names || args[0]->source != kNoSource)
    return x.fail(BreakReason::kMakeInstance, describe(*args[0]));
  set_attribute(args[0], "args", make_items(SymKind::kTuple, {args.begin() + 1, args.end()}));
  return true;
}

bool attribute_name(Executor& x, const std::vector<SymRef>& args, size_t count, PyObject** out) {
  if (args.size() != count || !x.look(args[1]) || args[1]->kind != SymKind::kConst ||
      !PyUnicode_CheckExact(args[1]->object.get()))
    return x.fail(BreakReason::kCallUnknown, "object.__setattr__ with these arguments");
  *out = args[1]->object.get();
  return true;
}

// Special methods of `object` that user classes call through super() or by name.
bool object_method(Executor& x, const char* name, const std::vector<SymRef>& args, SymRef* out,
                   bool* known) {
  const SymRef& self = args[0];
  const std::string_view text(name);
  PyObject* attribute = nullptr;
  *known = true;
  *out = make_const(Ref::none());
  if (text == "__init__") {
    const PyTypeObject* type = type_of(*self);
    if (args.size() > 1 &&
        (type->tp_init != PyBaseObject_Type.tp_init || type->tp_new == PyBaseObject_Type.tp_new))
      return x.fail(BreakReason::kRaises, "object.__init__ with arguments");
    return true;
  }
  if (text == "__setattr__")
    return attribute_name(x, args, 3, &attribute) && generic_set_attr(x, self, attribute, args[2]);
  if (text == "__delattr__")
    return attribute_name(x, args, 2, &attribute) && generic_del_attr(x, self, attribute);
  if (text == "__getattribute__")
    return attribute_name(x, args, 2, &attribute) && generic_get_attr(x, self, attribute, out);
  if (text == "__eq__" && args.size() == 2) {
    bool same = false;
    if (!identical(x, self, args[1], &same)) return false;
    *out = make_const(Ref::share(same ? Py_True : Py_NotImplemented));
    return true;
  }
  *known = false;
  return true;
}

}  // namespace

bool call_descriptor(Executor& x, PyObject* descriptor, std::vector<SymRef> args, PyObject* names,
                     SymRef* out) {
  auto* descr = reinterpret_cast<PyDescrObject*>(descriptor);
  const char* name = utf8_text(descr->d_name);
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  if (args.size() <= keywords) return x.fail(BreakReason::kRaises, name);  // there is no self
  if (args[0]->kind == SymKind::kRows)                                     // see rows_method()
    return call_builtin_method(x, name, args, names, out);
  if (args[0]->kind == SymKind::kTurnTable && find_method_model(args[0], name) &&
      PyType_IsSubtype(type_of(*args[0]), descr->d_type))
    return call_builtin_method(x, name, args, names, out);
  if (is_unread_list(*args[0]) && descr->d_type == &PyList_Type &&
      find_method_model(args[0], name)) {
    x.heap().guard_exact_type(args[0]);
    return call_builtin_method(x, name, args, names, out);
  }
  if (!x.look(args[0])) return false;
  PyTypeObject* type = type_of(*args[0]);
  if (!type || !PyType_IsSubtype(type, descr->d_type))
    return x.fail(BreakReason::kCallUnknown, fmt::format("{}.{}", describe(*args[0]), name));
  if (args[0]->kind == SymKind::kObject) {
    bool known = false;
    if (is_exception_type(descr->d_type) && std::strcmp(name, "__init__") == 0) {
      *out = make_const(Ref::none());
      return is_simple_exception(static_base(type)) ? exception_init(x, args, names)
                                                    : x.fail(BreakReason::kMakeInstance, name);
    }
    if (descr->d_type == &PyBaseObject_Type && !names) {
      if (!object_method(x, name, args, out, &known)) return false;
      if (known) return true;
    }
    if (is_legacy_method(descriptor)) return call_legacy(x, descriptor, args, names, out);
    const BuiltinModel model = descr->d_type == twister_type() ? generator_method(args[0], name)
                                                               : file_method(descr->d_type, name);
    if (model) return model(x, args, names, out);
    if (is_container_base(descr->d_type))
      return call_container_method(x, name, std::move(args), names, out);
  } else if (has_builtin_method(args[0], name)) {
    return call_builtin_method(x, name, args, names, out);
  }
  return x.fail(BreakReason::kCallUnknown, fmt::format("{}.{}", describe(*args[0]), name));
}

}  // namespace msjit
