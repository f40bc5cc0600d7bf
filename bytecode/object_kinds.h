// How a capture may know an object, by its type alone. Runs no Python code and installs no guard.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

bool is_singleton(PyObject* object);   // None, True, False, Ellipsis, NotImplemented
bool is_value_type(PyObject* object);  // known by value: numbers, texts, ranges
bool is_mutable(PyObject* object);     // aliasing of it matters
// Whether an object is known by its identity for good: functions, classes, modules, ops, dtypes.
bool is_identity_constant(PyObject* object);
// Whether an object is a method of a builtin class, bound to an object of that class.
bool is_bound_builtin(PyObject* o);
// As dict keys: is_single(): equal only to itself; is_key_value(): equal by value, without Python
// code.
bool is_single(PyObject* object);
bool is_key_value(PyObject* object);
// Whether an object is a member descriptor that reads an object (slots of __slots__, parts of
// builtin objects) and belongs to `type` under its own name. A class may also hold a descriptor of
// an unrelated class, or one hidden by a slot of the same name.
bool is_object_member(PyTypeObject* type, PyObject* descriptor);
bool is_writable_member(PyTypeObject* type, PyObject* descriptor);
// The name of a special method that a class derived from Tensor, or a base of it, defines and that
// a capture would not call; null: none, its tensors behave like tensors.
const char* odd_tensor_name(PyTypeObject* type);
// The same for special methods that a program has set on Tensor itself.
const char* odd_tensor_class_name();
// Whether a class has the metaclass `type` or that of Tensor, so that no metaclass of the program
// is involved.
bool has_plain_metaclass(PyObject* cls);

}  // namespace msjit
