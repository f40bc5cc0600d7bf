// The tables of models, found by the identity of the function or type called.
#include <cstring>
#include <unordered_map>

#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

struct Found {
  BuiltinModel model = nullptr;
  const char* pure = nullptr;
};
using Index = std::unordered_map<PyObject*, Found>;

void add_all(PyObject* module, Index* index) {
  Ref names = Ref::steal(PyObject_Dir(module));
  for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names.get()); ++i) {
    Ref found = Ref::steal(PyObject_GetAttr(module, PyList_GET_ITEM(names.get(), i)));
    if (!found) PyErr_Clear();
    if (!found || !PyCFunction_Check(found.get())) continue;
    const char* name = reinterpret_cast<PyCFunctionObject*>(found.get())->m_ml->ml_name;
    (*index)[found.release()].pure = name;  // modules live as long as the interpreter
  }
}

void add_table(const ModelTable& table, Index* index) {
  Ref module = Ref::steal(PyImport_ImportModule(table.module));
  if (!module) return PyErr_Clear();
  for (const char* name : table.pure) {
    if (std::strcmp(name, "*") == 0) {
      add_all(module.get(), index);
      continue;
    }
    Ref found = Ref::steal(PyObject_GetAttrString(module.get(), name));
    if (!found)
      PyErr_Clear();  // younger than this interpreter
    else
      (*index)[found.release()].pure = name;
  }
  for (const ModelRow& row : table.rows) {
    Ref found = Ref::steal(PyObject_GetAttrString(module.get(), row.name));
    if (!found)
      PyErr_Clear();
    else
      (*index)[found.release()] = {row.model, nullptr};
  }
}

const Found& find(PyObject* callable) {
  static const Index* const index = [] {
    auto* made = new Index;
    for (const ModelTable* table :
         {&models_builtins, &models_sequences, &models_math, &models_operator, &models_functools,
          &models_itertools, &models_copy, &models_print, &models_collections, &models_vars,
          &models_sets, &models_tensor})
      add_table(*table, made);
    return made;
  }();
  static const Found none;
  const auto it = index->find(callable);
  return it == index->end() ? none : it->second;
}

}  // namespace

BuiltinModel find_builtin_model(PyObject* callable) { return find(callable).model; }
const char* pure_name(PyObject* object) { return find(object).pure; }

}  // namespace msjit
