// Which values of a graph may share memory: a view with what it shows, the result of a branch or a
// loop with what it may hand on. This errs on the side of sharing.
#pragma once

#include "graph/ir.h"

namespace msjit {

// By input: whether a result of the branch or loop may be that input or a view of it.
std::vector<bool> handed_on(const Node& control);
// Whether a result of the node may share the memory of its input `place`.
bool may_share_input(const Node& node, size_t place);
// Marks the values that a marked value may share its memory with, as far as they were made before
// it.
void mark_shared(const Graph& graph, std::vector<bool>* marked);
// Whether the memory of `id` may be that of `other`, which was made before it or is the same value.
bool may_share(const Graph& graph, ValueId id, ValueId other);

}  // namespace msjit
