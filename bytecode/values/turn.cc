#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* turn_type(const SymValue&) { return &PyLong_Type; }

bool turn_refuse(Executor& x, const SymRef& value) {
  return x.fail(BreakReason::kUnsupported, describe(*value));
}

}  // namespace

const ValueKind value_turn = {.name = "number of a turn", .type = turn_type, .refuse = turn_refuse};

}  // namespace msjit
