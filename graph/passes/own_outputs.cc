#include "graph/passes/passes.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

// Appends an op of one input and gives its output the input's meta. Not through a sink: equal nodes must not merge here.
Result<ValueId> append(Graph& graph, const char* name, ValueId in, const Attrs& attrs) {
  const OpDef* op = find_op(name);
  if (!op) return internal_error("[own_outputs] there is no op {}", name);
  Meta meta = graph.meta(in);
  const Meta* metas[] = {&meta};
  InferCtx infer(*op, metas, attrs);
  MSJIT_OK(op->infer(infer));
  return graph.add_op(*op, {&in, 1}, attrs, infer.outputs, {});
}

// May output i live in the storage owned by `root`? Outputs before i have been settled.
bool may_share(const Graph& graph, size_t i, ValueId root) {
  const OutputAlias& alias = graph.output_aliases[i];
  const Node& owner = graph.producer(root);
  if (owner.kind == NodeKind::kConstant) return false;
  if (owner.kind == NodeKind::kInput) return alias.input == owner.input_index;
  for (size_t j = 0; j < i; ++j)
    if (storage_root(graph, graph.outputs[j]) == root && graph.output_aliases[j].group != alias.group)
      return false;
  return true;
}

// Shares storage rightly but would be the very tensor that is an input or an earlier output.
bool needs_header(const Graph& graph, size_t i) {
  ValueId id = graph.outputs[i];
  if (graph.producer(id).kind == NodeKind::kInput && !graph.output_aliases[i].is_input) return true;
  for (size_t j = 0; j < i; ++j)
    if (graph.outputs[j] == id && !graph.output_aliases[i].is_input) return true;
  return false;
}

}  // namespace

Result<bool> own_outputs(Graph& graph) {
  if (graph.output_aliases.size() != graph.outputs.size()) note_aliases(graph);
  bool changed = false;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    ValueId id = graph.outputs[i];
    if (!may_share(graph, i, storage_root(graph, id))) {
      MSJIT_TRY(graph.outputs[i], append(graph, "copy", id, {}));
      changed = true;
    } else if (needs_header(graph, i)) {
      const Shape& shape = graph.meta(id).shape;
      MSJIT_TRY(graph.outputs[i], append(graph, "reshape", id, {AttrValue(IntList(shape))}));
      changed = true;
    }
  }
  return changed;
}

}  // namespace msjit
