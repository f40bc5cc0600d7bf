#include "bytecode/values/classes.h"

#include <fmt/core.h>

#include <cstring>
#include <map>

#include "bytecode/attribute.h"
#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/language.h"
#include "bytecode/library.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

// Classes are true unless their metaclass says otherwise. The metaclass of enumerations defines
// __bool__, but says true as well.
bool class_truth(Executor& x, const SymRef& cls, bool* out) {
  PyTypeObject* const meta = Py_TYPE(cls->object.get());
  if (has_plain_metaclass(cls->object.get())) return *out = true;
  const bool asks = host::find_on_class(meta, special_name("__bool__")) ||
                    host::find_on_class(meta, special_name("__len__"));
  if ((asks && !is_enum_class(cls)) || !x.heap().guard_class_version(meta))
    return x.fail(BreakReason::kCallUnknown, "bool() of " + describe(*cls));
  return *out = true;
}

namespace {

// Whether the `__getattr__` of a module is one of msjit's own, which keep what they find and run no
// code of the program.
bool finds_and_keeps(const SymRef& finder) {
  PyObject* const function = finder->object.get();
  return function && PyFunction_Check(function) && is_own(PyFunction_GetGlobals(function));
}

// Names that modules of msjit have been asked for and do not have, with the message of the error.
using Missing = std::map<std::pair<PyObject*, std::string>, std::string>;
Missing& missing_names() {
  static auto* const made = new Missing;
  return *made;
}

}  // namespace

void note_missing(PyObject* module, PyObject* name, std::string message) {
  constexpr size_t kMost = 4096;
  if (missing_names().size() < kMost)
    missing_names().emplace(std::pair(module, utf8_text(name)), std::move(message));
}

// The module is pinned; the value of the attribute is guarded.
bool module_attribute(Executor& x, const SymRef& module, PyObject* name, SymRef* out) {
  if (module->source == kNoSource)
    module->source =
        x.heap().guards().add_source(load::constant, kNoSource, 0, module->object, "module");
  x.heap().guard_exact_type(module);
  if (SymRef value = x.heap().instance_attr(module, name)) {
    *out = std::move(value);
    return true;
  }
  static PyObject* const names[] = {special_name("__getattr__"), special_name("__name__")};
  const char* text = utf8_text(name);
  if (const SymRef finder = x.heap().instance_attr(module, names[0])) {
    const std::string what = fmt::format("{} of a module", text);
    if (const auto missing = missing_names().find({module->object.get(), text});
        missing != missing_names().end() && x.heap().realize(finder) && finds_and_keeps(finder))
      return x.raise_new(PyExc_AttributeError, missing->second);
    return x.heap().realize(finder) && finds_and_keeps(finder)
               ? x.fail_at_first_use(module, name, what)
               : x.fail_for_now(BreakReason::kAttribute, what);
  }
  SymRef own = x.heap().instance_attr(module, names[1]);
  if (!own || !x.heap().realize(own) || own->kind != SymKind::kConst ||
      !PyUnicode_CheckExact(own->object.get()) || host::find_on_class(&PyModule_Type, name))
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a module", text));
  return x.raise_new(PyExc_AttributeError, fmt::format("module '{}' has no attribute '{}'",
                                                       utf8_text(own->object.get()), text));
}

namespace {

// The classes that a lookup on a class goes through, in order.
SymRef resolution_order(Executor& x, PyTypeObject* type) {
  if (!x.heap().guard_class_version(type)) return nullptr;
  std::vector<SymRef> order;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    PyObject* const base = PyTuple_GET_ITEM(type->tp_mro, i);
    order.push_back(
        x.heap().from_constant(Ref::share(base), reinterpret_cast<PyTypeObject*>(base)->tp_name));
  }
  return make_items(SymKind::kTuple, std::move(order));
}

// The __module__ of a class written in C.
Ref static_module(const PyTypeObject* type) {
  const char* const dot = std::strrchr(type->tp_name, '.');
  return Ref::steal(dot ? PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name)
                        : PyUnicode_FromString("builtins"));
}

// __name__, __qualname__, __module__, __mro__ and __dict__ of a class.
bool class_name(Executor& x, const SymRef& cls, PyObject* found, PyObject* name, SymRef* out,
                bool* known) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const std::string_view text(utf8_text(name));
  *known = text == "__name__" || text == "__qualname__" || text == "__module__" ||
           text == "__mro__" || (text == "__dict__" && (type->tp_flags & Py_TPFLAGS_HEAPTYPE));
  if (!*known) return true;
  if (text == "__dict__") {
    const SymRef names = x.heap().part(cls, &type->tp_dict, "__dict__");
    return *out = make_items(SymKind::kMappingProxy, {names}), true;
  }
  if (text == "__mro__") {
    *out = resolution_order(x, type);
    return *out || x.fail(BreakReason::kAttribute, "__mro__ of a class");
  }
  const bool heap_type = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
  if (text == "__module__" && !heap_type) return *out = make_const(static_module(type)), true;
  if (text == "__module__") {
    if (!found || !PyUnicode_CheckExact(found)) return *known = false, true;
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

}  // namespace

bool class_attribute(Executor& x, const SymRef& cls, PyObject* name, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  PyTypeObject* meta = Py_TYPE(type);
  if (!has_plain_names(type) || !has_plain_names(meta)) return odd_names(x, type);
  const bool plain_meta = host::find_on_class(meta, special_name("__getattribute__")) ==
                          host::find_on_class(&PyType_Type, special_name("__getattribute__"));
  const bool fallback = host::find_on_class(meta, special_name("__getattr__"));
  PyObject* found = plain_meta ? host::find_on_class(type, name) : nullptr;
  const char* text = utf8_text(name);
  if (!has_plain_metaclass(cls->object.get()) && !x.heap().guard_class_version(meta))
    found = nullptr;
  if (found && std::string_view(text) == "__new__" && is_builtin_new(found))
    return *out = x.heap().from_constant(Ref::share(found), text), true;
  if (found && Py_TYPE(found) == &PyClassMethodDescr_Type &&
      find_class_method(cls->object.get(), text))
    return *out = make_items(SymKind::kMethod, {make_const(Ref::share(name)), cls}), true;
  PyObject* above =
      host::find_on_class(meta, name);  // a data descriptor of the metaclass comes first
  bool named = false;
  if (above && above == host::find_on_class(&PyType_Type, name) && plain_meta) {
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
  // A __get__ in Python may raise AttributeError; then the metaclass's __getattr__ would answer.
  if (fallback && (Py_TYPE(found)->tp_flags & Py_TPFLAGS_HEAPTYPE) && Py_TYPE(found)->tp_descr_get)
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a class", text));
  // The class is pinned by identity; its version tag pins what lookups on it find.
  x.heap().guard_class_version(type);
  if (!guard_descriptor(x, type, name, found)) return false;
  return bind_class_attribute(x, cls, type, found, name, out);
}

// The text is made of the names of the class and its module, which a program may change.
bool class_text(Executor& x, const SymRef& cls, SymRef* out) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const PyTypeObject* const meta = Py_TYPE(type);
  const std::string what = "the text of " + describe(*cls);
  if (meta->tp_repr != PyType_Type.tp_repr || meta->tp_str != PyType_Type.tp_str)
    return x.fail(BreakReason::kCallUnknown, what);
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
    for (const char* name : {"__module__", "__qualname__"}) {
      SymRef part;
      if (!class_attribute(x, cls, special_name(name), &part) || !x.look(part)) return false;
      if (part->kind != SymKind::kConst || !PyUnicode_CheckExact(part->object.get()))
        return x.fail(BreakReason::kCallUnknown, what);
    }
  return fold_result(x, Ref::steal(host::call(host::checked, PyObject_Repr, cls->object.get())),
                     what.c_str(), out);
}

}  // namespace msjit
