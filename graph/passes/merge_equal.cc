#include "graph/passes/passes.h"
#include "graph/rewrite.h"

namespace msjit {

// Earlier passes may have made nodes equal. Building the graph again finds them, because the sink
// merges equal nodes.
Result<bool> merge_equal(Graph& graph) { return rebuild(graph); }

}  // namespace msjit
