// Constants that are classes and modules.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

bool class_truth(Executor& x, const SymRef& cls, bool* out);
bool class_attribute(Executor& x, const SymRef& cls, PyObject* name, SymRef* out);
// str() and repr() of a class.
bool class_text(Executor& x, const SymRef& cls, SymRef* out);
// Notes that a module of msjit has no such name: its `__getattr__` has raised `message`. Modules
// find their names in tables that do not change.
void note_missing(PyObject* module, PyObject* name, std::string message);
bool module_attribute(Executor& x, const SymRef& module, PyObject* name, SymRef* out);

}  // namespace msjit
