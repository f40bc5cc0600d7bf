// Imports of modules that are loaded already. What `import` finds in sys.modules is guarded, and
// the attributes that it reads too. Anything that would run a loader is left to CPython.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/stepping.h"
#include "guards/py/compat.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

std::string text_of(PyObject* text) {
  const char* utf8 = utf8_text(text);
  if (!utf8) PyErr_Clear();
  return utf8 ? utf8 : "?";
}

// Whether builtins.__import__ is CPython's own.
bool plain_import(Executor& x, const SymFrame& f) {
  static PyObject* const name = special_name("__import__");
  static PyObject* const own = [] {
    PyObject* found = host::call(host::checked, PyDict_GetItem, PyEval_GetBuiltins(), name);
    return found && PyCFunction_Check(found) ? Ref::share(found).release() : nullptr;
  }();
  const SymRef function = x.heap().builtin(f.builtins.get(), f.globals_source, name);
  return own && function && x.look(function) && function->object.get() == own;
}

// The module of this name in sys.modules; null when it is not loaded.
SymRef loaded_module(Executor& x, const std::string& name) {
  PyObject* modules = compat::is_finalizing() ? nullptr : PyImport_GetModuleDict();
  Ref key = allocated(
      Ref::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()))));
  PyObject* found = modules && PyDict_CheckExact(modules)
                        ? host::call(host::checked, PyDict_GetItem, modules, key.get())
                        : nullptr;
  if (!found || !PyModule_CheckExact(found) || is_loading(found)) return nullptr;
  GuardBuilder& guards = x.heap().guards();
  const SourceId table =
      guards.add_source(load::constant, kNoSource, 0, Ref::share(modules), "sys.modules");
  const SymRef module = x.heap().from_source(
      guards.add_source(load::dict_item, table, 0, key, fmt::format("sys.modules['{}']", name)),
      found);
  return x.heap().realize(module) ? module : nullptr;
}

// The package at which `from .` starts, from the names stored in a package's modules; empty when in
// doubt.
std::string base_package(Executor& x, const SymFrame& f, int64_t level) {
  static PyObject* const package_name = special_name("__package__");
  static PyObject* const spec_name = special_name("__spec__");
  const auto global = [&](PyObject* name) {
    return x.heap().global(f.globals.get(), f.globals_source, f.builtins.get(), name);
  };
  const SymRef package = global(package_name), spec = global(spec_name);
  if (!package || !spec || !x.heap().realize(package) || package->kind != SymKind::kConst ||
      !PyUnicode_CheckExact(package->object.get()) || !spec->object || spec->source == kNoSource)
    return {};
  // `parent` is a property of importlib's class, computed in Python from its own attributes.
  static constinit LibraryType spec_type("_frozen_importlib", "ModuleSpec");
  if (Py_TYPE(spec->object.get()) != spec_type.get()) return {};
  Ref parent =
      Ref::steal(host::call(host::checked, PyObject_GetAttrString, spec->object.get(), "parent"));
  if (!parent || !host::equal_values(parent.get(), package->object.get()))
    return PyErr_Clear(), std::string();
  x.heap().guards().add(guard::identity, spec->source, {.object = spec->object});
  std::string base = text_of(package->object.get());
  for (int64_t up = 1; up < level; ++up) {
    const size_t dot = base.rfind('.');
    if (dot == std::string::npos) return {};
    base.resize(dot);
  }
  return base;
}

// An attribute that a module itself has; null when it has none (guarded) or makes it up when asked.
SymRef own_attribute(Executor& x, const SymRef& module, PyObject* name) {
  return x.heap().instance_attr(module, name);
}

// Whether all names of a `from` are attributes of the module, or it is no package. Then nothing is
// imported for them.
bool has_names(Executor& x, const SymRef& module, PyObject* names) {
  static PyObject* const path = special_name("__path__");
  static PyObject* const made_up = special_name("__getattr__");
  if (!own_attribute(x, module, path)) return !own_attribute(x, module, made_up);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    if (!PyUnicode_CheckExact(name) || PyUnicode_READ_CHAR(name, 0) == '*' ||
        !own_attribute(x, module, name))
      return false;
  }
  return true;
}

}  // namespace

bool exec_ImportName(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef names = f.pop(), depth = f.pop();
  std::string name = text_of(f.code->name(i.arg).get());
  const auto give_up = [&] { return x.fail(BreakReason::kImport, name); };
  int64_t level = 0;
  if (!x.look(names) || !to_int(x, depth, &level)) return give_up();
  const Ref wanted = constant_object(names);
  const bool from = wanted && PyTuple_Check(wanted.get()) && PyTuple_GET_SIZE(wanted.get()) > 0;
  if (!wanted || (level > 0 && !from) || !plain_import(x, f)) return give_up();
  if (level > 0) {
    std::string base = base_package(x, f, level);
    if (base.empty()) return give_up();
    name = name.empty() ? base : base + "." + name;
  }
  SymRef module = loaded_module(x, name);
  // `import a.b` binds a.
  const size_t dot = name.find('.');
  if (module && !from && dot != std::string::npos) module = loaded_module(x, name.substr(0, dot));
  if (!module || (from && !has_names(x, module, wanted.get()))) return give_up();
  f.push(module);
  return true;
}

bool exec_ImportFrom(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef module = f.peek(1);
  PyObject* name = f.code->name(i.arg).get();
  if (!x.look(module)) return false;
  const bool known = module->kind == SymKind::kConst && PyModule_CheckExact(module->object.get()) &&
                     module->source != kNoSource;
  SymRef value = known ? own_attribute(x, module, name) : nullptr;
  if (!value) return x.fail(BreakReason::kImport, "a name");
  f.push(std::move(value));
  return true;
}

Step step_import_name(const Stepping& s) {
  PyObject* builtins = s.frame.builtins().get();
  PyObject* found = PyDict_CheckExact(builtins)
                        ? host::call(host::program, PyDict_GetItemString, builtins, "__import__")
                        : nullptr;
  if (!found) return s.hand_over();
  const Ref import = Ref::share(found);
  const Ref from_list = s.frame.pop();
  const Ref level = s.frame.pop();
  const Borrowed names = s.frame.names();
  PyObject* const args[] = {s.name(), s.frame.globals().get(), names ? names.get() : Py_None,
                            from_list.get(), level.get()};
  return s.push(host::call(host::program, compat::vectorcall, import.get(), args, 5, nullptr));
}

Step step_import_from(const Stepping& s) {
  PyObject* module = s.frame.peek(1).get();
  Ref value = Ref::steal(host::call(host::program, PyObject_GetAttr, module, s.name()));
  if (value) return s.push(std::move(value));
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return s.raised();
  PyErr_Clear();
  // In a circular import the submodule may be loaded but not yet an attribute of its package.
  const Ref package =
      Ref::steal(host::call(host::program, PyObject_GetAttrString, module, "__name__"));
  if (package && PyUnicode_Check(package.get())) {
    const Ref full = Ref::steal(PyUnicode_FromFormat("%U.%U", package.get(), s.name()));
    if (!full) return s.raised();
    value = Ref::steal(PyImport_GetModule(full.get()));
    if (value) return s.push(std::move(value));
    if (PyErr_Occurred()) return s.raised();
  }
  PyErr_Clear();
  return s.hand_over();
}

}  // namespace msjit
