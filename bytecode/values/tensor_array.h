// NumPy arrays that share the memory of tensors: what asnumpy() gives. The array is made at the
// exit, of the tensor that the program would have; until then its one number can be read.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// Whether it is an array of a number that is still what the array shows.
bool is_number_of_array(const SymValue& value);
// An array of its own of what it shows now.
SymRef array_now(const SymValue& array);
bool array_of_tensor(Executor& x, const SymRef& tensor, SymRef* out);
// int() and float(), by `type`, of such an array without dimensions. `known`: whether it is one.
bool number_of_array(Executor& x, const SymRef& value, PyTypeObject* type, SymRef* out,
                     bool* known);

}  // namespace msjit
