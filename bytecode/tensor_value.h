// What hangs on the value of a tensor without being one: a Python number made of a tensor
// (kScalar), and an object that a tensor picks out of a list or tuple (kChoice). Nobody can look at
// either while capturing: a kScalar can leave the region or meet a tensor in arithmetic, a kChoice
// can be called. What they may raise is raised by a run of the region that fails.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

inline bool is_unknown(const SymValue& value) {
  return value.kind == SymKind::kScalar || value.kind == SymKind::kChoice;
}

// int(), float() and bool() of a tensor, by `type`; null: what item() gives.
bool number_of_tensor(Executor& x, const SymRef& tensor, PyTypeObject* type, SymRef* out);
// A kScalar beside a tensor. False, failed, where it is not sure that eager would compute the same.
bool scalar_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out);
// The Python number that a recipe of a kScalar stands for; empty with an exception set.
Ref number_from(const Tensor& tensor, PyObject* type);

// sequence[key] for a tensor as key.
bool choose_item(Executor& x, const SymRef& sequence, const SymRef& key, SymRef* out);
bool call_choice(Executor& x, const SymRef& choice, const std::vector<SymRef>& args,
                 PyObject* names, SymRef* out);

}  // namespace msjit
