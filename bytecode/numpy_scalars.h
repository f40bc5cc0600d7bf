// NumPy scalars (numpy.float64(0.1), as numpy.linspace gives them) in captured code. They are
// constants under a guard on their bits. NumPy computes with them while capturing, but only where
// it cannot warn: a warning would be given once, not in every call.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// A constant that is a NumPy scalar: a bool, integer or float.
bool is_numpy_scalar(const SymRef& value);
// Whether an object is a NumPy scalar of an integer class; not a bool.
bool is_numpy_integer(PyObject* object);
// For a NumPy integer, the int that it stands for as an index, as a constant; other values
// unchanged.
SymRef plain_index(const SymRef& value);

// Operators with a NumPy scalar and another number. `known`: whether the operands are such a pair;
// if not, nothing was done.
bool numpy_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out,
                  bool* known);
bool numpy_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known);
// Whether NumPy computes `a op b` without a warning, where one operand is a NumPy number.
bool numpy_is_quiet(PyObject* a, PyObject* b, BinaryOp op);
bool numpy_absolute(Executor& x, const SymRef& value, SymRef* out);
bool numpy_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out);

// A class of NumPy scalars, and a call of it with a number.
bool is_numpy_scalar_type(PyObject* object);
bool make_numpy_scalar(Executor& x, PyObject* type, const SymRef& number, SymRef* out);

// A call of a ufunc with numbers: sqrt, maximum and the like.
bool numpy_ufunc(Executor& x, PyObject* ufunc, const std::vector<SymRef>& args, PyObject* names,
                 SymRef* out);

// numpy's functions on known values. The second is for functions and ufuncs that are objects of
// types of their own. `known`: whether `function` is one. builtins/numpy.cc
bool call_numpy(Executor& x, PyObject* function, const std::vector<SymRef>& args, PyObject* names,
                SymRef* out, bool* known);
bool call_numpy_object(Executor& x, const SymRef& callable, const std::vector<SymRef>& args,
                       PyObject* names, SymRef* out, bool* known);
// A call of a class of NumPy scalars with a list or tuple, which makes an array.
bool make_numpy_array(Executor& x, PyObject* type, const SymRef& data, double low, double high,
                      double smallest, SymRef* out);
// Whether a pure function may be given a NumPy scalar: it must use only its number.
bool takes_numpy(PyObject* function, const char* name);

// The methods of NumPy scalars that have a model.
std::span<const struct ModelRow> numpy_methods();

}  // namespace msjit
