// NumPy arrays of the program. A capture knows their dtype and shape, under a guard. Their elements
// are an input of the graph, read at each call. Any other use of one ends the region.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

bool is_program_array(const SymValue& value);
// shape, ndim and size; `known` is false for other names.
bool program_array_attribute(Executor& x, const SymRef& array, PyObject* name, SymRef* out,
                             bool* known);
bool program_array_length(Executor& x, const SymRef& array, SymRef* out);

}  // namespace msjit
