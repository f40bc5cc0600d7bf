// What hangs on the value of a tensor without being one: a Python number made of a tensor
// (kScalar), and an object that a tensor picks out of a list or tuple (kChoice). Nobody can look at
// either while capturing: a kScalar can leave the region or meet a tensor in arithmetic, a kChoice
// can be called. What they may raise is raised by a run of the region that fails.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

// int(), float() and bool() of a tensor, by `type`; null: what item() gives.
bool number_of_tensor(Executor& x, const SymRef& tensor, PyTypeObject* type, SymRef* out);
// A kScalar that is true where its tensor is: an int made of 0.5 is not.
inline bool has_truth_of_tensor(const SymValue& value) {
  return value.kind == SymKind::kScalar &&
         !(is_float(value.tensor.dtype()) &&
           value.cls.get() == reinterpret_cast<PyObject*>(&PyLong_Type));
}

// bool(value) or `not value` of a tensor or such a kScalar, as a kScalar.
bool truth_of_tensor(Executor& x, const SymRef& value, bool negated, SymRef* out);
// Whether `item in container` is found out by comparisons with tensors, and what comes of it.
bool compares_tensors(Executor& x, const SymRef& container, const SymRef& item);
bool contains_tensor(Executor& x, const SymRef& container, const SymRef& item, bool negated,
                     SymRef* out);
// all() or any() of a tensor, or of a list or tuple of tensors, as a kScalar.
bool all_or_any_of_tensors(Executor& x, const SymRef& items, bool all, SymRef* out);
// A kScalar beside a tensor. False, failed, where it is not sure that eager would compute the same.
bool scalar_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out);
// The Python number that a recipe of a kScalar stands for; empty with an exception set.
Ref number_from(const Tensor& tensor, PyObject* type);

// The one of two tensors that `wins` says: the second where it holds.
bool choose_tensor(Executor& x, const SymRef& wins, const SymRef& first, const SymRef& second,
                   SymRef* out);
// sequence[key] for a tensor as key.
bool choose_item(Executor& x, const SymRef& sequence, const SymRef& key, SymRef* out);
bool call_choice(Executor& x, const SymRef& choice, const std::vector<SymRef>& args,
                 PyObject* names, SymRef* out);

}  // namespace msjit
