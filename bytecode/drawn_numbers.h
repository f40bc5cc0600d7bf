// Numbers that Python's random and NumPy draw in captured code. Each is a kScalar whose tensor is
// an input of the graph, with `draw` as its index among Heap::draws(). It meets tensors as a Python
// number does, decides branches, and leaves the region as the number itself. A drawn array is a
// kTensorArray, of which a tensor can be made. Any other use ends the region
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

// Draws by calling a method of NumPy. Empty with an exception set where that raises.
Ref draw_by_call(const Draw& draw, PyObject* generator);
SymRef drawn_number(Executor& x, const Draw& draw);
// Whether this is a method of numpy.random.RandomState that only draws; a call of it, with the
// generator as first argument.
bool is_legacy_method(PyObject* object);
bool call_legacy(Executor& x, PyObject* method, const std::vector<SymRef>& args, PyObject* names,
                 SymRef* out);

// Methods of random.Random written in C, bound to a generator of the program; null: no model.
BuiltinModel generator_method(const SymRef& self, const char* name);

}  // namespace msjit
