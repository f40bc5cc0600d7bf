// Instances of classes derived from list (list_objects.cc).
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// A method of list called on an instance, args[0].
bool call_list_method(Executor& x, const char* name, std::vector<SymRef> args, PyObject* names,
                      SymRef* out);
// The items of a new instance of `type`.
SymRef new_list(PyTypeObject* type);

}  // namespace msjit
