// Instances of user classes in captured code: construction, special methods, operators, and the
// behaviour of `object` and `BaseException`. Everything is looked up on the class, whose version
// the TYPE or CLASS_VERSION guard pins. Only methods written in Python are captured, and the few of
// `object` that are modelled here.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// The result of a lookup of `name` on the value's class, borrowed; null when there is none.
PyObject* find_special(const SymRef& self, const char* name);
// Whether the class of a kObject has this special method, written in Python.
bool has_special(const SymRef& self, const char* name);
// type(self).name(self, args...); ends the region unless it is a Python function.
bool call_special(Executor& x, const SymRef& self, const char* name, std::vector<SymRef> args,
                  SymRef* out);

// Guards that the object found by a lookup on `owner` stays a descriptor, or none. A class written
// in Python may gain and lose __get__ and __set__, and its objects may change their class, as
// modules may.
bool guard_descriptor(Executor& x, PyTypeObject* owner, PyObject* name, PyObject* found);

// The function inside a property, static method or class method that a lookup on `owner` found.
// Calling its __init__ again can replace that function.
SymRef wrapped_object(Executor& x, PyTypeObject* owner, PyObject* name, PyObject* found,
                      const char* part);
// The same, if it is a function written in Python; else null.
SymRef wrapped_function(Executor& x, PyTypeObject* owner, PyObject* name, PyObject* found,
                        const char* part);

// A call of a class.
bool construct(Executor& x, const SymRef& cls, std::vector<SymRef> args, PyObject* names,
               SymRef* out);
// A call of a method or slot wrapper of a builtin type; args[0] is self.
bool call_descriptor(Executor& x, PyObject* descriptor, std::vector<SymRef> args, PyObject* names,
                     SymRef* out);
// cls.__new__(...) of `object` and of exceptions.
bool call_builtin_new(Executor& x, PyObject* function, const std::vector<SymRef>& args,
                      SymRef* out);
bool is_builtin_new(PyObject* function);

// Attribute access as `object` defines it, without hooks of the class.
bool generic_get_attr(Executor& x, const SymRef& self, PyObject* name, SymRef* out);
bool generic_set_attr(Executor& x, const SymRef& self, PyObject* name, const SymRef& value);
bool generic_del_attr(Executor& x, const SymRef& self, PyObject* name);

// Notes a new value of an attribute; a null value deletes it.
bool write_attribute(Executor& x, const SymRef& self, const char* name, const SymRef& value);

// Whether the __class__ of instances is their type. isinstance() reads it when the type says no.
bool tells_its_class(PyTypeObject* type);

// self.__dict__, and operations on it (vars.cc). `out` is null where a key is missing.
bool instance_vars(Executor& x, const SymRef& self, SymRef* out);
bool vars_get(Executor& x, const SymRef& vars, const SymRef& key, SymRef* out);
bool vars_set(Executor& x, const SymRef& vars, const SymRef& key, const SymRef& value);
bool vars_remove(Executor& x, const SymRef& vars, const SymRef& key, SymRef* out);
bool vars_all(Executor& x, const SymRef& vars, SymRef* out);  // a dict with the same items
void vars_resized(const SymRef& owner);

// Operators where one operand is an instance.
bool instance_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                     SymRef* out);
bool instance_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out);
bool instance_truth(Executor& x, const SymRef& value, bool* out);
// iter() and next() of an instance with __iter__ and __next__ of its own.
bool instance_iter(Executor& x, const SymRef& value, SymRef* out);
bool instance_next(Executor& x, const SymRef& iterator, SymRef* out, bool* done);
inline bool is_iterator(const SymRef& value) {
  return value->kind == SymKind::kIterator || has_special(value, "__next__");
}
// str() and repr() of an instance.
bool instance_str(Executor& x, const SymRef& value, SymRef* out);
bool instance_repr(Executor& x, const SymRef& value, SymRef* out);
// str() or repr() of an instance or a class. `known`: whether it is one; if not, nothing was done.
bool text_of_object(Executor& x, const SymRef& value, bool as_str, SymRef* out, bool* known);

// Whether two values are one object; guarded where another call could answer differently.
bool identical(Executor& x, const SymRef& a, const SymRef& b, bool* out);

inline bool is_exception_type(PyTypeObject* type) {
  return type && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException));
}
// The exception that `raise` raises for its operand. handlers/exc.cc
bool raised_value(Executor& x, const SymRef& operand, SymRef* out);

}  // namespace msjit
