// What kind of object something is, as far as it decides how a capture may know it. Asks the type
// alone: no Python code runs, and no guard is installed.
#pragma once

#include "guards/py/ref.h"

namespace msjit {

bool is_singleton(PyObject* object);   // None, True, False, Ellipsis, NotImplemented
bool is_value_type(PyObject* object);  // known by its value: numbers, texts, ranges
bool is_mutable(PyObject* object);     // its aliasing matters
// Whether an object is known for good by its identity: functions, classes, modules, ops, dtypes.
bool is_identity_constant(PyObject* object);
// As dict keys: equal to nothing but itself; equal by value, without Python code.
bool is_single(PyObject* object);
bool is_key_value(PyObject* object);
// Descriptors of members of a type that hold an object (slots of __slots__, parts of builtin
// objects) and that the type has under their own name: a class may hold one of an unrelated class,
// or slots of the same name as a base.
bool is_object_member(PyTypeObject* type, PyObject* descriptor);
bool is_writable_member(PyTypeObject* type, PyObject* descriptor);
// A special method that a class derived from Tensor, or a base of it, has of its own and that a
// capture would pass over; null: none, its tensors behave like tensors.
const char* odd_tensor_name(PyTypeObject* type);
// The same of what a program has set on Tensor itself.
const char* odd_tensor_class_name();
// Whether a class is made by `type`, or is Tensor or derives from it: its own metaclass has no say.
bool has_plain_metaclass(PyObject* cls);

}  // namespace msjit
