// Constants that are classes and modules.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

bool class_truth(Executor& x, const SymRef& cls, bool* out);
bool class_attribute(Executor& x, const SymRef& cls, PyObject* name, SymRef* out);
bool module_attribute(Executor& x, const SymRef& module, PyObject* name, SymRef* out);

}  // namespace msjit
