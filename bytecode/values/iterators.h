// The kinds of iterators, one row each. A row is defined beside the code that makes such iterators:
// those of builtin types in iterators.cc and builtins/lazy.cc, of ranges and tensors of open length
// in scan_items.cc, of generators in generator.cc.
#pragma once

#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"

namespace msjit {

struct IterKind {
  // The next item, or `done`. False: the region ends.
  bool (*next)(Executor& x, SymIterator& it, SymRef* out, bool* done);
  // Builds, at the region's exit, an iterator in the same position, from the iterator's `object`,
  // `position` and children. Null: such an iterator cannot leave a region.
  Build build = nullptr;
  int num_built_of = -1;    // how many of the children `build` uses; -1: all
  bool asks_again = false;  // a next() after the end asks the iterators inside it again
  bool by_state = false;    // depends on the container's state when the iterator was made
  // To be built, children from this index on must be iterators: iter() of anything else would be
  // called a second time.
  size_t wraps_from = SIZE_MAX;
};

// dict_view: the result of keys(), values() or items(), before iter(). computed: over a tuple of
// rows that the region has computed. groups: gives each group's key and an iterator over the group.
extern const IterKind iter_sequence, iter_reversed, iter_computed, iter_constant, iter_dict,
    iter_dict_view, iter_set, iter_zip, iter_enumerate;
extern const IterKind iter_map, iter_filter, iter_chain, iter_slice, iter_star_map, iter_take_while,
    iter_accumulate, iter_repeat, iter_count, iter_cycle, iter_groups;
extern const IterKind iter_turns, iter_tensor_rows;
extern const IterKind iter_array, iter_program_array;
extern const IterKind iter_generator;

}  // namespace msjit
