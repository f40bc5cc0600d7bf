// Declares `op_<name>` for every operator. Include it where ops call each other; op files that
// need only a few may declare `extern const OpDef op_foo;` themselves and build faster.
#pragma once

namespace msjit {

struct OpDef;
#define MSJIT_OP_ENTRY(name) extern const OpDef op_##name;
#include "op_list.inc"
#undef MSJIT_OP_ENTRY

}  // namespace msjit
