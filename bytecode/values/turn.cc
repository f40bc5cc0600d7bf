#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/turn_table.h"
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
  if (!x.turn_binary(a, b, op, out)) return false;
  *known = *out != nullptr;
  return *known || value_turn_table.binary(x, a, b, op, in_place, out, known);
}

bool turn_compare(Executor& x, const SymRef& a, const SymRef& b, int op, SymRef* out, bool* known) {
  ScanCapture* const scan = a->kind == SymKind::kTurn ? x.scan_of(a) : nullptr;
  bool always = false;
  if (scan && !is_unknown(*b) && !x.look_open(b)) return false;
  if (scan && scan->decides(a, op, b, &always)) return *known = true, *out = sym_bool(always), true;
  return value_turn_table.compare(x, a, b, op, out, known);
}

bool turn_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  if (op != UnaryOp::kNegative) return value_turn_table.unary(x, value, op, out, known);
  *known = true;
  return x.binary(value, sym_int(-1), BinaryOp::kMul, false, out);
}

}  // namespace

bool scalar_of_turn(Executor& x, const SymRef& turn, SymRef* out) {
  SymRef tensor;
  if (!x.turns_as_tensors(turn, &tensor) || !number_of_tensor(x, tensor, &PyLong_Type, out))
    return false;
  bound(x, turn, out->get());
  return true;
}

const ValueKind value_turn = {.name = "number of a turn",
                              .type = turn_type,
                              .refuse = turn_refuse,
                              .binary = turn_operator,
                              .compare = turn_compare,
                              .unary = turn_unary};

}  // namespace msjit
