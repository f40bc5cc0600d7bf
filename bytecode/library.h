// Objects of the standard library that captured code uses like objects of its own classes:
// functools.partial, named tuples, members of enumerations. A named tuple is a kTuple whose `cls`
// is its class. A partial object made in the region is a kObject with the attributes func, args,
// keywords.
#pragma once

#include "bytecode/instance.h"

namespace msjit {

bool is_partial(const SymRef& value);
bool is_partial_type(PyObject* object);
bool call_partial(Executor& x, const SymRef& partial, std::vector<SymRef> args, PyObject* names,
                  SymRef* out);
bool make_partial(Executor& x, std::vector<SymRef> args, PyObject* names, SymRef* out);

// Whether instances of a tuple subclass behave as tuples except for their class and attributes.
bool is_plain_tuple_type(PyTypeObject* type);
// tuple.__new__(cls, items).
bool new_tuple(Executor& x, const SymRef& cls, const std::vector<SymRef>& args, SymRef* out);
int tuple_field(PyObject* descriptor);

// Whether this is a subclass of Enum whose members are hashed by their names.
bool is_enum_type(PyTypeObject* type);
// For Enum's own `value` or `name`, as `found` on the class: the name of the member's attribute
// that holds it (`_value_`, `_name_`); else null.
PyObject* enum_field(PyTypeObject* type, PyObject* found, PyObject* name);

bool is_enum_class(const SymRef& value);
bool enum_call(Executor& x, const SymRef& cls, const SymRef& value, SymRef* out);  // cls(value)
bool enum_item(Executor& x, const SymRef& cls, const SymRef& name, SymRef* out);   // cls[name]
bool enum_members(Executor& x, const SymRef& cls, std::vector<SymRef>* out);       // list(cls)
// For a member of an IntEnum and the like, the int or str that it is; other values unchanged. With
// `bitwise` flags are unchanged too, because `&`, `|`, `^` and `~` make flags of them.
SymRef plain_value(Executor& x, const SymRef& value, bool bitwise = false);

// Regular expressions of texts, and what they match: immutable objects that hold only texts.
bool is_pattern(PyObject* object);
bool is_match(PyObject* object);

}  // namespace msjit
