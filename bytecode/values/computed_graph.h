// Numbers made of numbers of tensors (kComputed) as tensors, for the two places that need one while
// the region runs: a branch that tests such a number, and the joining of what two arms made of it.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// The truth of a kComputed as a bool tensor without dimensions. Null: Python alone knows it.
bool test_of_computed(Executor& x, const SymRef& value, SymRef* out);
// A float, int or bool, known or not, as a float64, int64 or bool tensor without dimensions that
// has Python's value to the last bit. Null: there is none.
bool python_number(Executor& x, const SymRef& value, SymRef* out);

}  // namespace msjit
