#include "bytecode/builtins/models.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* turn_type(const SymValue&) { return &PyLong_Type; }

bool turn_refuse(Executor& x, const SymRef& value) {
  return x.fail(BreakReason::kUnsupported, describe(*value));
}

bool turn_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool, SymRef* out,
                   bool* known) {
  SymRef made;
  if (!x.turn_binary(a, b, op, &made)) return false;
  if ((*known = made != nullptr)) *out = std::move(made);
  return true;
}

bool turn_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  *known = op == UnaryOp::kNegative;
  return !*known || x.binary(value, sym_int(-1), BinaryOp::kMul, false, out);
}

}  // namespace

const ValueKind value_turn = {.name = "number of a turn",
                              .type = turn_type,
                              .refuse = turn_refuse,
                              .binary = turn_operator,
                              .unary = turn_unary};

}  // namespace msjit
