#include "bytecode/builtins/models.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

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
  return x.turns_as_tensors(value, &tensor) && number_of_tensor(x, tensor, &PyLong_Type, out);
}

const ValueKind value_turn = {.name = "number of a turn",
                              .type = turn_type,
                              .refuse = turn_refuse,
                              .binary = turn_operator,
                              .compare = turn_compare,
                              .unary = turn_unary};

}  // namespace msjit
