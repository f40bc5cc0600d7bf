// The list of all operators, sorted by name; generated from the file names in kernels/ops, so
// adding a file adds the op and ids are deterministic. `op_<name>` objects are declared in
// kernels/core/ops.h.
#pragma once

#include <span>
#include <string_view>

#include "kernels/core/op.h"

namespace msjit {

std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);  // null when there is none
int op_id(const OpDef& op);                   // position in all_ops()

}  // namespace msjit
