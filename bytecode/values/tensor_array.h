// kTensorArray: the NumPy array that asnumpy() gives, which shares the memory of its tensor. It is
// made at the exit. Until then the number of a one-element array can be read.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// Whether it is a 0-d array whose tensor has not been written since, so that its number is known.
bool is_number_of_array(const SymValue& value);
// A separate array with the contents that it shows now.
SymRef array_now(const SymValue& array);
bool array_of_tensor(Executor& x, const SymRef& tensor, SymRef* out);
// The elements of an array as a tensor without gradient. False, without a failure: it shows a later
// write to its tensor.
bool content_of_array(Executor& x, const SymRef& array, Val* out);
// int() and float(), by `type`, of such an array without dimensions. `known`: whether it is one.
bool number_of_array(Executor& x, const SymRef& value, PyTypeObject* type, SymRef* out,
                     bool* known);

}  // namespace msjit
