// NumPy arrays of the program. A capture knows their dtype and shape, under a guard. Their elements
// together are an input of the graph, read at each call. One by one they are constants, under a
// guard on their bytes. Any other use of an array ends the region.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

bool is_program_array(const SymValue& value);
// shape, ndim and size; `known` is false for other names.
bool program_array_attribute(Executor& x, const SymRef& array, PyObject* name, SymRef* out,
                             bool* known);
bool program_array_length(Executor& x, const SymRef& array, SymRef* out);
// array[i], array[i, j] of one element; and the elements of an array with one axis.
bool program_array_subscript(Executor& x, const SymRef& array, const SymRef& key, SymRef* out);
bool program_array_iterate(Executor& x, const SymRef& array, SymRef* out);

}  // namespace msjit
