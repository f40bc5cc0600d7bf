// Functions that the region has made.
#include <fmt/core.h>

#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

std::string function_describe(const SymValue& value) {
  const char* name =
      utf8_text(reinterpret_cast<PyCodeObject*>(value.function->code.get())->co_name);
  return fmt::format("function {}", name ? name : "?");
}

PyTypeObject* function_type(const SymValue&) { return &PyFunction_Type; }

bool function_truth(Executor&, const SymRef&, bool* out) { return *out = true; }

bool function_call(Executor& x, const SymRef& callable, std::vector<SymRef> args, PyObject* names,
                   SymRef* out) {
  return x.call_function(nullptr, callable, std::move(args), names, out);
}

// Compilers from 3.10 on leave annotations as a flat tuple: name, value, ...
Ref annotations_dict(PyObject* annotations) {
  if (!PyTuple_Check(annotations)) return Ref::share(annotations);
  Ref made = Ref::steal(PyDict_New());
  for (Py_ssize_t i = 0; made && i + 1 < PyTuple_GET_SIZE(annotations); i += 2)
    if (host::call(host::program, PyDict_SetItem, made.get(), PyTuple_GET_ITEM(annotations, i),
                   PyTuple_GET_ITEM(annotations, i + 1)) < 0)
      return {};
  return made;
}

Ref build_function(const Recipe& recipe, const Objects& objects) {
  enum { kGlobals, kName, kDefaults, kKwDefaults, kAnnotations, kClosure };
  Ref made = Ref::steal(PyFunction_NewWithQualName(
      recipe.object.get(), argument(recipe, objects, kGlobals), argument(recipe, objects, kName)));
  if (!made) return {};
  if (PyObject* o = argument(recipe, objects, kDefaults))
    if (PyFunction_SetDefaults(made.get(), o) < 0) return {};
  if (PyObject* o = argument(recipe, objects, kKwDefaults))
    if (PyFunction_SetKwDefaults(made.get(), o) < 0) return {};
  if (PyObject* o = argument(recipe, objects, kAnnotations)) {
    if (PyFunction_Check(o)) {
      compat::set_annotate(made.get(), Ref::share(o));
    } else {
      Ref notes = annotations_dict(o);
      if (!notes || PyFunction_SetAnnotations(made.get(), notes.get()) < 0) return {};
    }
  }
  if (PyObject* o = argument(recipe, objects, kClosure))
    if (PyFunction_SetClosure(made.get(), o) < 0) return {};
  return made;
}

int function_rebuild(ExitBuilder& exit, const SymRef& value) {
  const SymFunction& function = *value->function;
  Recipe made = made_by(build_function);
  made.object = function.code;
  const SymRef parts[] = {exit.executor().heap().globals_of(function),
                          function.qualified_name ? make_const(function.qualified_name) : nullptr,
                          function.defaults,
                          function.kwdefaults,
                          function.annotations,
                          function.closure};
  for (const SymRef& part : parts) {
    const int index = part ? exit.recipe(part) : -1;
    if (part && index < 0) return -1;
    made.args.push_back(index);
  }
  return exit.add(std::move(made));
}

}  // namespace

const ValueKind value_function = {.describe = function_describe,
                                  .type = function_type,
                                  .declined_by_tensors = true,
                                  .truth = function_truth,
                                  .call = function_call,
                                  .rebuild = function_rebuild};

}  // namespace msjit
