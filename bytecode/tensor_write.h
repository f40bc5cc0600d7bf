// Writes to tensors of the program. In a region the tensor has a new value from then on; at the
// exit that value is written into the tensor. Whatever else could see the write - views, other
// names of the same memory, a recording of gradients - ends the region before it, or, where only
// the call can tell, makes the interpreter run the region.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

// Gives `target` the elements of `value`, broadcast and converted. `replaces`: new memory
// (set_data), instead of the memory it has (assign). `recorded`: gradients go through the write.
// Under a branch it is the arm's until the arms are joined, and what both make of it is written.
bool write_tensor(Executor& x, const SymRef& target, Val value, bool replaces, bool recorded);

// The same for a tensor that an op of the region has made, which has to have memory of its own: it
// has the value from now on, and what looked into it before must not be used again.
bool may_renew(Executor& x, const SymRef& tensor);
void renew_made(Executor& x, const SymRef& tensor, Val value);

// x[...] = value for such a tensor: what it holds behind the store is `value`. Where the store is
// recorded for a gradient, eager gives the tensor new memory: what looked into it keeps what it
// showed. False: the tensor cannot be renewed.
bool renew_stored(Executor& x, const SymRef& tensor, Val value);

// That no gradients are asked for where `what` would be recorded otherwise than its value says.
bool write_unrecorded(Executor& x, const char* what);

// An operator with the trait kInPlace: one that states its update is captured. `tensors`: the
// arguments that `inputs` stand for.
bool apply_in_place(Executor& x, const OpDef& op, std::span<const SymRef> tensors,
                    std::span<const Val> inputs, const Attrs& attrs, SymRef* out);

// The step of a write, of those from the `first` on, after which what a tensor held before is still
// seen, by itself or through a view or branch; -1 when there is none.
int seen_after_write(std::span<const Heap::Overwritten> writes, size_t first, const Graph& graph);

// Whether an output of the graph looks into a tensor that is written, or may be that very tensor.
bool shows_written(const Executor& x, const Heap& heap, const Graph& graph);

}  // namespace msjit
