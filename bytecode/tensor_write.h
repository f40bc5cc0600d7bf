// Writes to tensors of the program. From the write on, the tensor has a new value in the region. At
// the exit that value is written into the tensor. Something else may be able to see the write: a
// view, another tensor on the same memory, a recording of gradients. Then the region ends before
// the write. Where only the call can tell, the exit checks it, and the interpreter runs the region.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// Gives `target` the elements of `value`, broadcast and converted. `replaces`: in new memory
// (set_data), instead of the memory it has (assign). `recorded`: gradients flow through the write.
// Under a branch the write belongs to its arm until the arms are joined; then the joined value is
// written.
bool write_tensor(Executor& x, const SymRef& target, Val value, bool replaces, bool recorded);

// Whether a tensor that an op of the region made can be given another value: it needs memory of its
// own. renew_made() does it; a view made of the tensor before must not be used afterwards, except
// in backward passes if the write is recorded.
bool may_renew(Executor& x, const SymRef& tensor);
bool renew_made(Executor& x, const SymRef& tensor, Val value, bool recorded = false);

// Whether a loop can carry the content of this tensor from turn to turn while the body writes to
// it: nothing shows its memory. carry() gives it the content with which a turn begins.
bool may_carry(Executor& x, const SymRef& tensor);
void carry(Executor& x, const SymRef& tensor, const Val& value);

// Whether the result of an op has memory of its own, and then in row-major order. Eager code may
// run the parts of an op, or nothing where nothing is to do: then the result may be a view or the
// tensor itself.
bool makes_memory(const Graph& graph, const Node& node);

// x[...] = value for a tensor made in the region; `value` is its whole content after the store.
// False: the tensor cannot be renewed.
bool renew_stored(Executor& x, const SymRef& tensor, Val value);

// Guards that no gradients are asked for, where `what` would be recorded in another way than its
// value says.
bool write_unrecorded(Executor& x, const char* what);

// A call of an operator with the trait kInPlace. It is captured if it states its update as a graph.
// `tensors`: the arguments from which `inputs` come.
bool apply_in_place(Executor& x, const OpDef& op, std::span<const SymRef> tensors,
                    std::span<const Val> inputs, const Attrs& attrs, SymRef* out);

// The step of a write, of those from the `first` on, after which the old content is still used, by
// itself or through a view or branch; -1 when there is none.
int seen_after_write(std::span<const Heap::Overwritten> writes, size_t first, const Graph& graph,
                     const GradientScopes& scopes);

// Whether a value is old content of a tensor, or may show it.
bool shows_overwritten(std::span<const Heap::Overwritten> writes, const Graph& graph, ValueId id);

// Whether an output of the graph may be a written tensor, or a view of one.
bool shows_written(const Executor& x, const Heap& heap, const Graph& graph);

}  // namespace msjit
