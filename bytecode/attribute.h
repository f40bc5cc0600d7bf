// The steps of an attribute lookup, in the order of object.__getattribute__.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// The object that a class attribute, found by a lookup on `owner`, gives when read through an
// instance of `type`. Only descriptors of known types are supported.
bool bind_attribute(Executor& x, const SymRef& self, PyTypeObject* type, PyTypeObject* owner,
                    PyObject* found, PyObject* name, SymRef* out);
// The object that it gives when read through the class.
bool bind_class_attribute(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* found,
                          PyObject* name, SymRef* out);
// Raises AttributeError. Always false, as fail().
bool no_attribute(Executor& x, const SymRef& self, const char* name);
// Ends the region because a class has names that compare by Python code. Always false.
bool odd_names(Executor& x, PyTypeObject* type);

}  // namespace msjit
