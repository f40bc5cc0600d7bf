// Numbers that Python's random draws in captured code. Each is a kScalar whose tensor is an input
// of the graph, with `draw` as its index among Heap::draws(). It meets tensors as a Python number
// does, decides branches, and leaves the region as the number itself. Any other use ends the region
// before the draw, so that CPython draws and what follows is captured with a known number.
#pragma once

#include "bytecode/exec.h"

namespace msjit {

inline bool is_drawn(const SymValue& value) {
  return value.kind == SymKind::kScalar && value.draw >= 0;
}
// Whether a value that cannot be looked at is, or is computed from, a drawn number.
bool drawn_in(const SymRef& value);
// Ends the region before the first draw in such a value; always false.
bool refuse_drawn(Executor& x, const SymRef& value, std::string what);

// Methods of random.Random written in C, bound to a generator of the program; null: no model.
BuiltinModel generator_method(const SymRef& self, const char* name);

}  // namespace msjit
