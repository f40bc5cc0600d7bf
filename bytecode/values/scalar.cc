#include <fmt/core.h>

#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/computed.h"
#include "bytecode/values/turn_table.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

std::string scalar_describe(const SymValue& value) {
  return fmt::format("{}() of a tensor", type_of(value)->tp_name);
}

bool scalar_refuse(Executor& x, const SymRef& value) {
  if (is_drawn(*value)) return refuse_drawn(x, value, "a number that is drawn anew in each call");
  const char* const form = value->joined ? "the {} that a branch gives" : "{}()";
  return x.fail(BreakReason::kTensorValue,
                fmt::format(fmt::runtime(form), type_of(*value)->tp_name));
}

bool scalar_operator(Executor& x, const SymRef& a, const SymRef& b, BinaryOp op, bool, SymRef* out,
                     bool* known) {
  if (!computed_binary(x, a, b, op, out, known)) return false;
  if (*known || is_by_turn(a) || is_by_turn(b)) return true;
  *known = true;
  if (is_drawn(*a) && b->is_tensor()) return x.binary(make_tensor(a->tensor), b, op, false, out);
  if (is_drawn(*b) && a->is_tensor()) return x.binary(a, make_tensor(b->tensor), op, false, out);
  return scalar_binary(x, a, b, op, out);
}

int scalar_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made{is_drawn(*value) ? &recipe_drawn : &recipe_scalar};
  made.index = is_drawn(*value) ? value->draw : exit.output(value);
  made.object = value->cls;
  return exit.add(std::move(made));
}

}  // namespace

const ValueKind value_scalar = {.describe = scalar_describe,
                                .refuse = scalar_refuse,
                                .binary = scalar_operator,
                                .compare = computed_compare,
                                .unary = computed_unary,
                                .rebuild = scalar_rebuild};

}  // namespace msjit
