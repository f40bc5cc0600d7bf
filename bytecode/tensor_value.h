// Values that depend on the value of a tensor without being tensors: a Python number made of a
// tensor (kScalar), and an object that a tensor index picks out of a list or tuple (kChoice).
// Neither can be looked at while capturing. A kScalar can leave the region or meet a tensor in
// arithmetic; a kChoice can be called. If making one would raise, the run of the region fails and
// the interpreter raises.
#pragma once

#include "bytecode/values/value_kind.h"

namespace msjit {

// int(), float() or bool() of a tensor, by `type`; null: item().
bool number_of_tensor(Executor& x, const SymRef& tensor, PyTypeObject* type, SymRef* out);
// Whether a kScalar is true exactly where its tensor is. An int made of 0.5 is not.
inline bool has_truth_of_tensor(const SymValue& value) {
  return value.kind == SymKind::kScalar &&
         !(is_float(value.tensor.dtype()) &&
           value.cls.get() == reinterpret_cast<PyObject*>(&PyLong_Type));
}

// The number that a loop's turn has (kTurn, kTurnTable) as a kScalar; other values as they are. One
// of NumPy only where `beside_tensor`: there NumPy leaves the operation to the tensor, as Python
// does.
bool number_of_turn(Executor& x, const SymRef& value, SymRef* out, bool beside_tensor = false);

// bool(value) or `not value` of a tensor or such a kScalar, as a kScalar.
bool truth_of_tensor(Executor& x, const SymRef& value, bool negated, SymRef* out);
// Whether `item in container` has to compare tensors; and its result as a kScalar.
bool compares_tensors(Executor& x, const SymRef& container, const SymRef& item);
bool contains_tensor(Executor& x, const SymRef& container, const SymRef& item, bool negated,
                     SymRef* out);
// all() or any() of a tensor, or of a list or tuple of tensors, as a kScalar.
bool all_or_any_of_tensors(Executor& x, const SymRef& items, bool all, SymRef* out);
// Arithmetic of a kScalar and a tensor. False, and failed, where eager code might not compute the
// same.
bool scalar_binary(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, SymRef* out);
// The same for a comparison; not `known` where the number cannot be a tensor.
bool scalar_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out,
                    bool* known);
// A number that a tensor or a loop gives, as a tensor to compute with beside a tensor of this
// dtype. Null: there is none. No gradient flows through a Python number.
bool operand_beside(Executor& x, const SymRef& number, DType beside, SymRef* out);
// Whether an operator of a tensor and a number gives the same for such a tensor instead.
bool rounds_once(const OpDef& op);
// An int that a tensor gives as a tensor, with which a tensor can be indexed; other values as they
// are.
bool index_of_number(Executor& x, const SymRef& value, SymRef* out);
// The operator of a comparison (Py_LT ... Py_GE).
const OpDef* compare_op(int op);
// The Python number for a recipe of a kScalar; empty with an exception set.
Ref number_from(const Tensor& tensor, PyObject* type);

// `second` where the tensor `wins` is true, else `first`.
bool choose_tensor(Executor& x, const SymRef& wins, const SymRef& first, const SymRef& second,
                   SymRef* out);
// sequence[key] for a tensor as key.
bool choose_item(Executor& x, const SymRef& sequence, const SymRef& key, SymRef* out);
bool call_choice(Executor& x, const SymRef& choice, const std::vector<SymRef>& args,
                 PyObject* names, SymRef* out);

}  // namespace msjit
