// The tables of models, found by the identity of the function or type called.
#include <cstring>
#include <unordered_map>

#include "bytecode/builtins/models.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

struct Found {
  BuiltinModel model = nullptr;
  const char* pure = nullptr;
};
using Index = std::unordered_map<PyObject*, Found>;

void add_all(const ModelTable& table, PyObject* module, Index* index) {
  PyObject* found = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(PyModule_GetDict(module), &at, nullptr, &found);) {
    if (!PyCFunction_Check(found) || !comes_with(table.module, found)) continue;
    const char* name = reinterpret_cast<PyCFunctionObject*>(found)->m_ml->ml_name;
    (*index)[Ref::share(found).release()].pure = name;  // modules live as long as the interpreter
  }
}

// The module's own object of this name; null when a program has replaced it, or this Python version
// has none.
Ref original(const ModelTable& table, PyObject* module, const char* name) {
  PyObject* dict = PyModule_GetDict(module);
  if (const char* const dot = std::strchr(name, '.')) {  // "Class.method"
    PyObject* const owner = host::find_name(dict, std::string(name, dot).c_str());
    if (!owner || !PyType_Check(owner) || !comes_with(table.module, owner)) return {};
    dict = reinterpret_cast<PyTypeObject*>(owner)->tp_dict;
    name = dot + 1;
  }
  Ref found = Ref::share(host::find_name(dict, name));
  return found && comes_with(table.module, name, found.get()) ? std::move(found) : Ref();
}

void add_table(const ModelTable& table, PyObject* module, Index* index) {
  for (const char* name : table.pure) {
    if (std::strcmp(name, "*") == 0) {
      add_all(table, module, index);
      continue;
    }
    if (Ref found = original(table, module, name)) (*index)[found.release()].pure = name;
  }
  for (const ModelRow& row : table.rows)
    if (Ref found = original(table, module, row.name))
      (*index)[found.release()] = {row.model, nullptr};
}

const ModelTable* const kTables[] = {
    &models_builtins,    &models_sequences, &models_math,      &models_operator,
    &models_functools,   &models_itertools, &models_copy,      &models_print,
    &models_collections, &models_vars,      &models_sets,      &models_tensor,
    &models_reductions,  &models_own,       &models_gradients, &models_draws,
    &models_processes,   &models_system,    &models_inspect,   &models_bisect,
    &models_posix,       &models_re,        &models_heapq,     &models_random,
    &models_auto_cast};

// Adds the tables of modules that have been loaded since the last call.
void complete(Index* index) {
  static unsigned waiting = (1u << std::size(kTables)) - 1;  // one bit for each table
  for (size_t i = 0; waiting && i < std::size(kTables); ++i) {
    PyObject* module = waiting >> i & 1 ? loaded_module(kTables[i]->module) : nullptr;
    if (!module) continue;
    add_table(*kTables[i], module, index);
    waiting &= ~(1u << i);
  }
}

const Index& index() {
  static Index* const made = new Index;
  complete(made);
  return *made;
}

const Found& find(PyObject* callable) {
  static const Found none;
  const Index& known = index();
  const auto it = known.find(callable);
  return it == known.end() ? none : it->second;
}

}  // namespace

BuiltinModel find_builtin_model(PyObject* callable) { return find(callable).model; }
PyObject* modelled(BuiltinModel model) {
  for (const auto& [object, found] : index())
    if (found.model == model) return object;
  return nullptr;
}
const char* pure_name(PyObject* object) { return find(object).pure; }

}  // namespace msjit
