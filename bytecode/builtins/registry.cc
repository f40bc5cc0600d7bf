// The tables of models, found by the identity of the function or type called.
#include <cstring>
#include <unordered_map>

#include "bytecode/builtins/models.h"
#include "guards/py/library_type.h"

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

void add_table(const ModelTable& table, PyObject* module, Index* index) {
  for (const char* name : table.pure) {
    if (std::strcmp(name, "*") == 0) {
      add_all(module, index);
      continue;
    }
    Ref found = Ref::steal(PyObject_GetAttrString(module, name));
    if (!found)
      PyErr_Clear();  // younger than this interpreter
    else
      (*index)[found.release()].pure = name;
  }
  for (const ModelRow& row : table.rows) {
    Ref found = Ref::steal(PyObject_GetAttrString(module, row.name));
    if (!found)
      PyErr_Clear();
    else
      (*index)[found.release()] = {row.model, nullptr};
  }
}

const ModelTable* const kTables[] = {
    &models_builtins,  &models_sequences, &models_math,      &models_operator,    &models_functools,
    &models_itertools, &models_copy,      &models_print,     &models_collections, &models_vars,
    &models_sets,      &models_tensor,    &models_reductions};

// Tables join as their modules are loaded.
void complete(Index* index) {
  static unsigned waiting = (1u << std::size(kTables)) - 1;  // a bit a table
  for (size_t i = 0; waiting && i < std::size(kTables); ++i) {
    PyObject* module = waiting >> i & 1 ? loaded_module(kTables[i]->module) : nullptr;
    if (!module) continue;
    waiting &= ~(1u << i);
    add_table(*kTables[i], module, index);
  }
}

const Found& find(PyObject* callable) {
  static Index* const index = new Index;
  static const Found none;
  complete(index);
  const auto it = index->find(callable);
  return it == index->end() ? none : it->second;
}

}  // namespace

BuiltinModel find_builtin_model(PyObject* callable) { return find(callable).model; }
const char* pure_name(PyObject* object) { return find(object).pure; }

}  // namespace msjit
