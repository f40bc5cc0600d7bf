// What attribute lookup is made of, with the order of object.__getattribute__.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// The object a class attribute, found by a lookup on `owner`, gives when read through an instance
// of `type`; descriptors of known types only.
bool bind_attribute(Executor& x, const SymRef& self, PyTypeObject* type, PyTypeObject* owner,
                    PyObject* found, PyObject* name, SymRef* out);
// The object it gives when read through the class.
bool bind_class_attribute(Executor& x, const SymRef& cls, PyTypeObject* owner, PyObject* found,
                          PyObject* name, SymRef* out);
// Raises AttributeError. Always false, as fail().
bool no_attribute(Executor& x, const SymRef& self, const char* name);
// Ends the region: a class has names that compare by Python code. Always false.
bool odd_names(Executor& x, PyTypeObject* type);

}  // namespace msjit
