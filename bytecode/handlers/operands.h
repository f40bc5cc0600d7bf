// What operators ask of their operands.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

inline bool is_size(const SymRef& value) { return value->kind == SymKind::kSize; }
inline bool is_list(const SymRef& value) { return value->kind == SymKind::kList; }

// Types whose operators run no user code.
bool is_builtin_value(PyObject* o);
// An object known by identity whose class has no comparison of its own, as a metaclass may have.
bool compares_by_identity(PyObject* o);
bool is_plain_number(const SymRef& value);  // known or open
bool is_text(const SymRef& value);
bool is_sequence(Executor& x, const SymRef& value);
// A list or tuple itself, without operators of a class of its own.
bool is_plain_sequence(Executor& x, const SymRef& value);
// A tuple of no class derived from it: CPython hands the very one back where nothing changes.
bool is_plain_tuple(const SymRef& value);
// Objects of Python that are no operands of a tensor's operators and take no part in its.
bool is_no_operand(const SymRef& value);
// A tensor and a NumPy scalar, which leaves the operation to the tensor.
bool numpy_pair(const SymRef& a, const SymRef& b);
// Members of an IntEnum and the like compute as what they are, but in the hands of an instance, and
// are printed by their classes. op: null for a comparison.
bool plain_pair(Executor& x, const SymRef& a, const SymRef& b, std::optional<BinaryOp> op,
                SymRef* p, SymRef* q);
// What CPython computed; null: it raised.
bool fold(Executor& x, PyObject* result, const char* what, SymRef* out);

}  // namespace msjit
