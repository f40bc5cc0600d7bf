#include "bytecode/language.h"

#include <fmt/core.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "bytecode/library.h"
#include "guards/py/compat.h"
#include "guards/py/compat_layout.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

using Text = std::string_view;

Text text_in(PyObject* dict, const char* key) {
  const bool plain = dict && PyDict_Check(dict) && compat::has_only_string_keys(dict);
  PyObject* const found = plain ? host::find_name(dict, key) : nullptr;
  const char* text = found && PyUnicode_Check(found) ? utf8_text(found) : nullptr;
  return text ? text : "";
}

Text top(Text module) { return module.substr(0, module.find('.')); }

Text module_of(PyTypeObject* type) {
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return text_in(type->tp_dict, "__module__");
  const Text name = type->tp_name;
  const size_t dot = name.rfind('.');
  return dot == Text::npos ? "builtins" : name.substr(0, dot);
}

Text short_name(PyTypeObject* type) {
  const Text name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

std::string full_name(PyTypeObject* type) {
  return fmt::format("{}.{}", module_of(type), short_name(type));
}

// Whether a class is, or derives from, this class of msjit.
bool derives(PyTypeObject* type, Text module, Text name) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
    if (short_name(base) == name && module_of(base) == module) return true;
  }
  return false;
}
bool is_cell(PyTypeObject* type) { return derives(type, "msjit.nn.cell", "Cell"); }

bool is_of_msjit(PyTypeObject* type) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i)
    if (top(module_of(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i)))) ==
        "msjit")
      return true;
  return false;
}

bool in_language(PyTypeObject* type) {
  if (module_of(type) == "builtins" || is_of_msjit(type)) return true;
  if (is_exception_type(type) || is_enum_type(type) || PyType_IsSubtype(type, &PyTuple_Type))
    return true;
  return is_partial_type(reinterpret_cast<PyObject*>(type)) ||
         host::find_on_class(type, special_name("__ms_class__"));
}

// Whether a comma-separated list in the environment names the package of a module.
bool is_listed(const char* variable, Text package) {
  const char* value = std::getenv(variable);
  for (Text rest = value ? value : ""; !rest.empty();) {
    const size_t comma = rest.find(',');
    if (rest.substr(0, comma) == package) return true;
    rest = comma == Text::npos ? "" : rest.substr(comma + 1);
  }
  return false;
}

// The folders of the standard library and of installed packages. Finding them runs Python code,
// which may let other threads run. So no guard of a static variable may be held meanwhile; the
// first result is kept.
const std::vector<std::string>& library_folders() {
  static const std::vector<std::string>* known = nullptr;
  if (known) return *known;
  PyError pending = PyError::fetch();
  auto found = std::make_unique<std::vector<std::string>>();
  const Ref module = Ref::steal(host::call(host::program, PyImport_ImportModule, "sysconfig"));
  const Ref paths = module ? Ref::steal(host::call(host::program, PyObject_CallMethod, module.get(),
                                                   "get_paths", nullptr))
                           : Ref();
  for (const char* key : {"stdlib", "platstdlib", "purelib", "platlib"})
    if (const Text path = paths ? text_in(paths.get(), key) : ""; !path.empty())
      found->push_back(std::string(path) + '/');
  std::move(pending).restore();
  if (!known) known = found.release();
  return *known;
}

}  // namespace

bool is_own(PyObject* globals) { return top(text_in(globals, "__name__")) == "msjit"; }

bool in_library(Text file) {
  for (const std::string& folder : library_folders())
    if (file.substr(0, folder.size()) == folder) return true;
  return file.substr(0, 8) == "<frozen ";
}

namespace {

// Whether a package belongs to somebody other than the author of the running code.
bool is_foreign(Executor& x, Text module, bool installed) {
  const Text package = top(module);
  if (package == "msjit" || is_listed("MS_JIT_MODULES", package)) return false;
  if (is_listed("MS_JIT_IGNORE_MODULES", package)) return true;
  return installed && package != top(text_in(x.current().globals.get(), "__name__"));
}

// Whether a module belongs to the standard library or an installed package.
bool is_installed(Text name) {
  PyObject* const loaded = loaded_module(std::string(name).c_str());
  return in_library(loaded ? text_in(PyModule_GetDict(loaded), "__file__") : Text());
}

// The name of a foreign object, for messages: numpy.sum.
std::string own_name(PyObject* object, PyTypeObject* type) {
  const auto text = [&](const char* attribute) -> std::string {
    const Ref found =
        object && !(type->tp_flags & Py_TPFLAGS_HEAPTYPE)
            ? Ref::steal(host::call(host::of_static, PyObject_GetAttrString, object, attribute))
            : Ref();
    PyErr_Clear();
    return found && PyUnicode_Check(found.get()) ? utf8_text(found.get()) : "";
  };
  const std::string module = text("__module__"), name = text("__name__");
  return name.empty() ? full_name(type) : fmt::format("{}.{}", module, name);
}

// Whether objects of a class may be used in the function. Those of another package may not.
bool may_have(Executor& x, PyTypeObject* type, PyObject* object = nullptr) {
  if (in_language(type)) return true;
  const bool heap_type = type->tp_flags & Py_TPFLAGS_HEAPTYPE;
  return (heap_type && !is_foreign(x, module_of(type), is_installed(module_of(type)))) ||
         x.fail(BreakReason::kStrictForeign, own_name(object, type));
}

bool is_parameter(Executor& x, const SymRef& object, PyObject* name) {
  const SymRef value = x.heap().instance_attr(object, name);
  if (!value || value->is_null() || !x.heap().realize(value) || !value->is_tensor()) return false;
  return value->object &&
         derives(Py_TYPE(value->object.get()), "msjit.common.parameter", "Parameter");
}

}  // namespace

bool may_use(Executor& x, const SymRef& object) {
  if (!x.strict() || object->kind != SymKind::kObject) return true;
  return may_have(x, type_of(*object), object->object.get());
}

bool may_read(Executor& x, const SymRef& object, const char* name) {
  if (!x.strict() || object->kind != SymKind::kObject) return true;
  if (derives(type_of(*object), "msjit.ops.primitive", "Primitive"))
    return x.fail(BreakReason::kStrictPrimitive, name);
  return may_use(x, object);
}

bool may_store(Executor& x, const SymRef& object, PyObject* name) {
  if (!x.strict() || object->kind != SymKind::kObject) return true;
  if (!may_use(x, object)) return false;
  PyTypeObject* const type = type_of(*object);
  if (object->source == kNoSource || (is_cell(type) && is_parameter(x, object, name))) return true;
  if (!is_of_msjit(type) && !host::find_on_class(type, special_name("__ms_class__"))) return true;
  return x.fail(BreakReason::kStrictStore,
                fmt::format("{} of an existing {}", utf8_text(name), short_name(type)));
}

bool may_make(Executor& x, PyTypeObject* cls) { return !x.strict() || may_have(x, cls); }

bool may_call(Executor& x, PyObject* function, const std::vector<SymRef>& args) {
  if (!x.strict() || find_builtin_model(function) || pure_name(function)) return true;
  Ref name =
      Ref::steal(host::call(host::of_static, PyObject_GetAttrString, function, "__qualname__"));
  PyErr_Clear();
  const char* text = name && PyUnicode_Check(name.get()) ? utf8_text(name.get()) : "?";
  if (PyCFunction_Check(function)) {
    PyObject* const module = reinterpret_cast<PyCFunctionObject*>(function)->m_module;
    const Text owner = module && PyUnicode_Check(module) ? utf8_text(module) : "builtins";
    return owner == "builtins" || top(owner) == "msjit" ||
           x.fail(BreakReason::kStrictForeign, fmt::format("{}.{}", owner, text));
  }
  if (!PyFunction_Check(function)) return true;
  // A method is judged by the class of its object.
  if (!args.empty() && x.heap().realize(args[0]) && args[0]->kind == SymKind::kObject) return true;
  auto* object = compat::function(function);
  const char* file = utf8_text(reinterpret_cast<PyCodeObject*>(object->func_code)->co_filename);
  PyObject* const module = object->func_module;  // the globals of NumPy's wrappers have no __name__
  const char* told = module && PyUnicode_Check(module) ? utf8_text(module) : nullptr;
  const Text owner = told ? told : text_in(object->func_globals, "__name__");
  return !is_foreign(x, owner, in_library(file ? file : "") || is_installed(owner)) ||
         x.fail(BreakReason::kStrictForeign, fmt::format("{}.{}", owner, text));
}

bool may_bind_class(Executor& x, PyTypeObject* cls, const char* name) {
  return !x.strict() || !is_cell(cls) ||
         x.fail(BreakReason::kStrictMember, fmt::format("class method {}", name));
}

bool is_outside_language(BreakReason reason) {
  return reason == BreakReason::kStrictStore || reason == BreakReason::kStrictMember ||
         reason == BreakReason::kStrictPrimitive;
}

}  // namespace msjit
