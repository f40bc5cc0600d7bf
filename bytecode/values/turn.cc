#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

// Products of small numbers are exact, and one that is not zero divides without an error.
void bound(Executor& x, const SymRef& turn, SymValue* number) {
  constexpr int64_t kMost = int64_t{1} << 24;
  ScanCapture* const scan = x.scan_of(turn);
  SymRef before;
  if (!scan->compute(turn, sym_int(1), BinaryOp::kSubtract, true, &before) || !before) return;
  const bool positive = scan->stays_within(before, sym_int(kMost));
  if (!positive && !scan->stays_within(turn, sym_int(kMost))) return;
  number->at_least = positive;
  number->at_most = kMost;
}

PyTypeObject* turn_type(const SymValue&) { return &PyLong_Type; }

bool turn_refuse(Executor& x, const SymRef& value) {
  return x.fail(BreakReason::kUnsupported, describe(*value));
}

bool turn_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool in_place,
                   SymRef* out, bool* known) {
  SymRef left, right;
  if (!x.turn_binary(a, b, op, out)) return false;
  *known = true;
  return *out || (number_of_turn(x, a, &left) && number_of_turn(x, b, &right) &&
                  x.binary(left, right, op, in_place, out));
}

bool turn_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known) {
  SymRef left, right;
  *known = true;
  return number_of_turn(x, a, &left) && number_of_turn(x, b, &right) &&
         x.compare(left, right, op, out);
}

bool turn_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  *known = op == UnaryOp::kNegative;
  return !*known || x.binary(value, sym_int(-1), BinaryOp::kMul, false, out);
}

}  // namespace

bool number_of_turn(Executor& x, const SymRef& value, SymRef* out) {
  *out = value;
  if (value->kind != SymKind::kTurn) return true;
  SymRef tensor;
  if (!x.turns_as_tensors(value, &tensor) || !number_of_tensor(x, tensor, &PyLong_Type, out))
    return false;
  bound(x, value, out->get());
  return true;
}

const ValueKind value_turn = {.name = "number of a turn",
                              .type = turn_type,
                              .refuse = turn_refuse,
                              .binary = turn_operator,
                              .compare = turn_compare,
                              .unary = turn_unary};

}  // namespace msjit
