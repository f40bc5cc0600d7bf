// Instances of classes derived from dict or OrderedDict (table_objects.cc).
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// dict or OrderedDict, which such classes derive from.
bool is_table_base(PyTypeObject* type);
bool is_table_object(const SymRef& value);
// Whether what a class has under a name is a method of dict or OrderedDict.
bool is_table_method(PyObject* found);
// The items of a new instance of `type`.
SymRef new_table(PyTypeObject* type);
// A method of dict or OrderedDict called on an instance, args[0].
bool call_table_method(Executor& x, const char* name, std::vector<SymRef> args, PyObject* names,
                       SymRef* out);
// Replaces an object's __dict__, and an instance whose items dict() would copy, by a kDict of them.
// Anything else stays what it is.
bool as_dict(Executor& x, SymRef* mapping);

}  // namespace msjit
