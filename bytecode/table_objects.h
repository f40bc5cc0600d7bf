// Instances of classes derived from dict or OrderedDict (table_objects.cc).
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// Whether this is dict or OrderedDict itself.
bool is_table_base(PyTypeObject* type);
bool is_table_object(const SymRef& value);
// Whether an attribute of a class is a method of dict or OrderedDict.
bool is_table_method(PyObject* found);
// The items of a new instance of `type`.
SymRef new_table(PyTypeObject* type);
// A method of dict or OrderedDict called on an instance, args[0].
bool call_table_method(Executor& x, const char* name, std::vector<SymRef> args, PyObject* names,
                       SymRef* out);
// If `mapping` is an object's __dict__, or an instance whose items dict() would copy directly,
// replaces it by a kDict of the items. Other values stay.
bool as_dict(Executor& x, SymRef* mapping);

}  // namespace msjit
