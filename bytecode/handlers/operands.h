// Questions that operators ask about their operands.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

inline bool is_size(const SymRef& value) { return value->kind == SymKind::kSize; }
inline bool is_list(const SymRef& value) { return value->kind == SymKind::kList; }

// Types whose operators run no user code.
bool is_builtin_value(PyObject* o);
// Whether an object is known by identity and its class compares by identity (a metaclass may not).
bool compares_by_identity(PyObject* o);
bool is_plain_number(const SymRef& value);  // known or open
bool is_text(const SymRef& value);
bool is_sequence(Executor& x, const SymRef& value);
// A list or tuple itself, without operators of a class of its own.
bool is_plain_sequence(Executor& x, const SymRef& value);
// Whether this is an exact tuple. Of such a one CPython returns the same object where nothing
// changes: t + (), t * 1.
bool is_plain_tuple(const SymRef& value);
// Whether a tensor's operators decline such an operand, and its own operators know no tensors:
// None, a str, a function.
bool is_no_operand(const SymRef& value);
// A plain Tensor and a NumPy scalar, which leaves the operation to the tensor.
bool numpy_pair(const SymRef& a, const SymRef& b);
// Whether each of two operands is a tensor, or a number that an op takes beside one.
bool are_tensor_operands(const SymRef& a, const SymRef& b);
// The result of an op on two such operands.
bool apply_to_pair(Executor& x, const OpDef& op, const SymRef& a, const SymRef& b, SymRef* out);
// Replaces members of an IntEnum and the like by the numbers or texts with which they compute.
// False: nothing to replace, or the other operand decides: an instance, a text that is to print
// them by their class, or a NumPy scalar. `op`: null for a comparison.
bool plain_pair(Executor& x, const SymRef& a, const SymRef& b, std::optional<BinaryOp> op,
                SymRef* p, SymRef* q);
// The operator that stores its result in `a` where it can.
PyObject* inplace_binary(BinaryOp op, PyObject* a, PyObject* b);
// Makes a constant of CPython's result. A null result: CPython raised, and so does the captured
// code.
bool fold(Executor& x, PyObject* result, const char* what, SymRef* out);

}  // namespace msjit
