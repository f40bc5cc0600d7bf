// The dtype objects that NumPy itself holds, one for each kind of number: np.dtype("float32"),
// array.dtype. They live as long as NumPy and are constants, known by identity.
#pragma once

#include <string_view>

#include "bytecode/exec.h"

namespace msjit {

bool is_numpy_dtype(PyObject* object);
// The one of this name; null: none, or NumPy is not loaded.
PyObject* numpy_dtype_named(std::string_view name);
// numpy.dtype(what) for such an object, its name, or the class of its numbers. `known`: whether
// `callable` is numpy.dtype and `what` is one of these.
bool make_numpy_dtype(Executor& x, PyObject* callable, const std::vector<SymRef>& args,
                      PyObject* names, SymRef* out, bool* known);
// The same of numpy.finfo(what), of which NumPy keeps one object for each `what`. Its attributes
// are read like those of other objects.
bool make_numpy_finfo(Executor& x, PyObject* callable, const std::vector<SymRef>& args,
                      PyObject* names, SymRef* out, bool* known);
bool numpy_dtype_attribute(Executor& x, const SymRef& dtype, PyObject* name, SymRef* out);
// == and != of such an object and another one, a name, or a class of numbers.
bool compare_numpy_dtypes(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                          bool* known);

}  // namespace msjit
