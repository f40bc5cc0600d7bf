// Instances of classes derived from dict or OrderedDict (table_objects.cc), and what these have in
// common with those of classes derived from list (list_objects.h).
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// Whether this is dict, OrderedDict or list itself.
bool is_container_base(PyTypeObject* type);
bool is_table_object(const SymRef& value);
bool is_list_object(const SymRef& value);
// Whether an attribute of a class is a method of dict, OrderedDict or list, and the class is
// derived from that.
bool is_container_method(PyTypeObject* type, PyObject* found);
// The items of a new instance of `type`, as a kDict.
SymRef new_table(PyTypeObject* type);
// The items of a new instance of `type`, a class derived from one of these.
SymRef new_contents(PyTypeObject* type);
// A method of one of these called on an instance, args[0].
bool call_container_method(Executor& x, const char* name, std::vector<SymRef> args, PyObject* names,
                           SymRef* out);
// If `mapping` is an object's __dict__, a read-only view of a dict, or an instance whose items
// dict() would copy directly, replaces it by a kDict of the items. Other values stay.
bool as_dict(Executor& x, SymRef* mapping);

}  // namespace msjit
