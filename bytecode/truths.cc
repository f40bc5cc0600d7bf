// Python bools made of the truth of tensors: `not`, `in`, all() and any(). They are kScalars, which
// an `if` can test and the region can return.
#include "bytecode/builtins/models.h"
#include "bytecode/tensor_value.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

bool apply(Executor& x, const char* op, std::vector<Val> inputs, SymRef* out, Attrs attrs = {}) {
  return x.apply(*find_op(op), inputs, attrs, out);
}

// The truth of a one-element tensor as a 0-d bool tensor.
bool truth_tensor(Executor& x, const SymRef& value, SymRef* out) {
  SymRef scalar;
  if (value->is_tensor() && !number_of_tensor(x, value, &PyBool_Type, &scalar)) return false;
  const Val zero = x.sink().constant(Tensor::scalar<int64_t>(0, true));
  if (!is_bool(value->tensor.dtype())) {
    if (!apply(x, "not_equal", {value->tensor, zero}, out)) return false;
  } else {
    *out = make_tensor(value->tensor);
  }
  Attrs flat;
  flat.push_back(AttrValue(IntList()));
  return apply(x, "reshape", {(*out)->tensor}, out, flat);
}

// Combines the truth of one more value with `total`; null: this is the first.
bool fold_truth(Executor& x, const char* op, const SymRef& value, SymRef* total) {
  SymRef truth;
  if (!truth_tensor(x, value, &truth)) return false;
  if (*total) return apply(x, op, {(*total)->tensor, truth->tensor}, total);
  return *total = std::move(truth), true;
}

bool finish(Executor& x, const SymRef& truth, bool negated, SymRef* out) {
  SymRef value = truth;
  if (negated && !apply(x, "logical_not", {truth->tensor}, &value)) return false;
  return number_of_tensor(x, value, &PyBool_Type, out);
}

// all() or any() of a tensor iterates over its rows, each of which must have one element.
bool reduce_rows(Executor& x, const SymRef& tensor, bool all, SymRef* out) {
  const char* const name = all ? "all" : "any";
  if (tensor->tensor.rank() == 0) return x.fail(BreakReason::kRaises, name);
  for (const SymRef& size : x.sizes().dims(tensor->tensor))
    if (!x.look(size)) return false;
  const Shape shape = tensor->tensor.shape();
  if (shape[0] == 0) return *out = sym_bool(all), true;
  if (shape.numel() != shape[0]) return x.fail(BreakReason::kRaises, name);
  const Val zero = x.sink().constant(Tensor::scalar<int64_t>(0, true));
  SymRef truths = tensor;
  if (!is_bool(tensor->tensor.dtype()) && !apply(x, "not_equal", {tensor->tensor, zero}, &truths))
    return false;
  return apply(x, name, {truths->tensor}, &truths) && finish(x, truths, false, out);
}

}  // namespace

bool truth_of_tensor(Executor& x, const SymRef& value, bool negated, SymRef* out) {
  SymRef truth;
  return truth_tensor(x, value, &truth) && finish(x, truth, negated, out);
}

bool compares_tensors(Executor& x, const SymRef& container, const SymRef& item) {
  if (container->kind != SymKind::kList && container->kind != SymKind::kTuple &&
      container->kind != SymKind::kConst)
    return false;
  const std::vector<SymRef>* const items = x.heap().items(container);
  if (!items) return false;
  bool tensors = item->is_tensor();
  for (const SymRef& candidate : *items)
    if (!x.heap().realize_number(candidate)) return false;
  for (const SymRef& candidate : *items) tensors |= candidate->is_tensor();
  return tensors;
}

bool contains_tensor(Executor& x, const SymRef& container, const SymRef& item, bool negated,
                     SymRef* out) {
  SymRef total;
  bool found = false;
  for (const SymRef& candidate : std::vector<SymRef>(*x.heap().items(container))) {
    SymRef equal;
    if ((found = candidate == item)) break;
    if (!x.compare(candidate, item, Py_EQ, &equal)) return false;
    // The same object is found without a comparison, which matters for a NaN.
    const bool same = candidate->object && candidate->object == item->object;
    if (equal->is_tensor() && (same || candidate->joined || item->joined))
      return x.fail(BreakReason::kUnsupported, "a search for a tensor that may be the same object");
    if (equal->is_tensor()) {
      if (!fold_truth(x, "logical_or", equal, &total)) return false;
    } else if (!x.truth(equal, &found)) {
      return false;
    }
    if (found) break;
  }
  if (found || !total) return *out = sym_bool(found != negated), true;
  return finish(x, total, negated, out);
}

bool all_or_any_of_tensors(Executor& x, const SymRef& items, bool all, SymRef* out) {
  if (items->is_tensor()) return reduce_rows(x, items, all, out);
  SymRef total;
  for (const SymRef& item : std::vector<SymRef>(*x.heap().items(items))) {
    if (!x.look_open(item)) return false;
    if (item->is_tensor()) {
      if (!fold_truth(x, all ? "logical_and" : "logical_or", item, &total)) return false;
      continue;
    }
    bool truth = false;
    if (!x.truth(item, &truth)) return false;
    if (truth != all) return *out = sym_bool(!all), true;
  }
  return total ? finish(x, total, false, out) : (*out = sym_bool(all), true);
}

}  // namespace msjit
