// A kComputed as a tensor, for the places that need it while the region runs: a branch that tests
// it, the joining of such numbers of two arms, and arithmetic with a tensor.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// The truth of a kComputed as a 0-d bool tensor. Null: only Python can compute it.
bool test_of_computed(Executor& x, const SymRef& value, SymRef* out);
// A float or int as a 0-d tensor of this dtype, for arithmetic with a tensor that has it. It is
// rounded once, as in eager code. Null: there is none.
bool number_beside(Executor& x, const SymRef& value, DType beside, SymRef* out);
// A float, int or bool, known or not, as a 0-d float64, int64 or bool tensor that has exactly
// Python's value. Null: there is none.
bool python_number(Executor& x, const SymRef& value, SymRef* out);
// A bound on the bits of an int's magnitude; 64 and more: there is none.
bool int_bits(Executor& x, const SymRef& value, int* bits);

}  // namespace msjit
