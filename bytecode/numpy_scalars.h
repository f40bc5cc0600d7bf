// NumPy scalars (numpy.float64(0.1), as numpy.linspace gives them) in captured code: constants
// under a guard on their bits. What is computed with them is computed by NumPy while capturing, but
// only where it can warn of nothing: a warning would be given once then, not in every call.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// A constant that is a NumPy scalar: a bool, integer or float.
bool is_numpy_scalar(const SymRef& value);
// One whose class is an integer; not a bool.
bool is_numpy_integer(PyObject* object);
// The int that a NumPy integer stands for as an index, as a constant; other values as they are.
SymRef plain_index(const SymRef& value);

// Operators with a NumPy scalar and another number. `known`: whether it is such a pair; else
// nothing was done.
bool numpy_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out,
                  bool* known);
bool numpy_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known);
// Whether NumPy computes `a op b` without a warning, one of them a number of NumPy.
bool numpy_is_quiet(PyObject* a, PyObject* b, BinaryOp op);
bool numpy_absolute(Executor& x, const SymRef& value, SymRef* out);
bool numpy_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out);

// A class of NumPy scalars, and a call of it with a number.
bool is_numpy_scalar_type(PyObject* object);
bool make_numpy_scalar(Executor& x, PyObject* type, const SymRef& number, SymRef* out);

// A call of a ufunc with numbers: sqrt, maximum and the like.
bool numpy_ufunc(Executor& x, PyObject* ufunc, const std::vector<SymRef>& args, PyObject* names,
                 SymRef* out);

// Functions of numpy on known values, and its functions and ufuncs that are objects of types of
// their own; `known`: whether `function` is one. builtins/numpy.cc
bool call_numpy(Executor& x, PyObject* function, const std::vector<SymRef>& args, PyObject* names,
                SymRef* out, bool* known);
bool call_numpy_object(Executor& x, const SymRef& callable, const std::vector<SymRef>& args,
                       PyObject* names, SymRef* out, bool* known);
// A call of a class of NumPy scalars with a list or tuple, which makes an array.
bool make_numpy_array(Executor& x, PyObject* type, const SymRef& data, double low, double high,
                      double smallest, SymRef* out);
// An array that captured code has made: a constant, of which regions hand on copies.
bool is_array(const SymRef& value);
// A number of an array; parts of it, which are views, are left to the interpreter.
bool array_subscript(Executor& x, const SymRef& array, const SymRef& key, SymRef* out);
bool array_attr(Executor& x, const SymRef& array, const char* name, SymRef* out, bool* known);
std::span<const struct ModelRow> array_methods();

// Whether a pure function may be given a NumPy scalar: one that only asks for its number.
bool takes_numpy(PyObject* function, const char* name);

// The methods of NumPy scalars that have a model.
std::span<const struct ModelRow> numpy_methods();

}  // namespace msjit
