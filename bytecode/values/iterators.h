// One row a kind of iterator, defined beside what makes such iterators: those of builtin types in
// iterators.cc and builtins/lazy.cc, of ranges and tensors whose length is open in scan_items.cc,
// of generators in generator.cc.
#pragma once

#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"

namespace msjit {

struct IterKind {
  // The next item, or `done`. False: the region ends.
  bool (*next)(Executor& x, SymIterator& it, SymRef* out, bool* done);
  // Makes one that stands where this one stands, at the region's exit, of the iterator's `object`,
  // `position` and children. Null: one that cannot leave a region.
  Build build = nullptr;
  int num_built_of = -1;    // how many of the children it is made of; -1: all
  bool asks_again = false;  // at its end it asks what it runs over once more
  bool by_state = false;    // depends on how the container looked when the iterator was made
  // Children from this one on must be iterators for it to be made again: others would be asked for
  // theirs once more.
  size_t wraps_from = SIZE_MAX;
};

// dict_view: what keys(), values() or items() gave, before iter(). computed: over a tuple of rows
// that the region has computed. groups: the key of each group, and an iterator over it.
extern const IterKind iter_sequence, iter_reversed, iter_computed, iter_constant, iter_dict,
    iter_dict_view, iter_set, iter_zip, iter_enumerate;
extern const IterKind iter_map, iter_filter, iter_chain, iter_slice, iter_star_map, iter_take_while,
    iter_accumulate, iter_repeat, iter_count, iter_cycle, iter_groups;
extern const IterKind iter_turns, iter_tensor_rows;
extern const IterKind iter_generator;

}  // namespace msjit
