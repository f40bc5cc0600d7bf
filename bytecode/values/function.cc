// Functions that the region has made.
#include <fmt/core.h>

#include "bytecode/attribute.h"
#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/compat.h"
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

// The annotations as a dict, which is made once. From 3.14 on a function of the program makes them.
bool annotations_of(Executor& x, SymFunction* function, SymRef* out) {
  SymRef& kept = function->annotations;
  if (kept && !x.look(kept)) return false;
  if (!kept || kept->kind != SymKind::kDict) {
    const std::vector<SymRef>* const flat = kept ? x.heap().items(kept) : nullptr;
    if (kept && !flat) return x.fail(BreakReason::kAttribute, "__annotations__ of a function");
    SymRef made = make_sym(SymKind::kDict);
    for (size_t i = 0; flat && i + 1 < flat->size(); i += 2)
      made->entries.emplace_back((*flat)[i], (*flat)[i + 1]);
    kept = std::move(made);
  }
  return *out = kept, true;
}

bool made_function_attribute(Executor& x, const SymRef& value, PyObject* name, SymRef* out) {
  SymFunction& function = *value->function;
  const std::string_view text(utf8_text(name));
  auto* const code = reinterpret_cast<PyCodeObject*>(function.code.get());
  const auto known = [&](const SymRef& part) {
    return *out = part ? part : make_const(Ref::none());
  };
  if (text == "__code__") return *out = make_const(function.code), true;
  if (text == "__name__") return *out = make_const(Ref::share(code->co_name)), true;
  if (text == "__defaults__") return known(function.defaults), true;
  if (text == "__kwdefaults__") return known(function.kwdefaults), true;
  if (text == "__qualname__" && function.qualified_name)
    return *out = make_const(function.qualified_name), true;
  if (text == "__globals__")
    return *out =
               x.heap().from_source(x.heap().globals_of(function)->source, function.globals.get()),
           true;
  if (text == "__annotations__") return annotations_of(x, &function, out);
  if (!host::find_on_class(&PyFunction_Type, name) && text != "__module__")
    return no_attribute(x, value, utf8_text(name));
  return x.fail(BreakReason::kAttribute, fmt::format("{} of {}", text, describe(*value)));
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
                                  .attribute = made_function_attribute,
                                  .call = function_call,
                                  .rebuild = function_rebuild};

}  // namespace msjit
