#include "bytecode/values/value_kind.h"

namespace msjit {

const ValueKind value_null = {.name = "nothing"};

}  // namespace msjit
