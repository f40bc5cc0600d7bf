// Shared by the handlers that build, fill and unpack containers.
#pragma once

#include <utility>
#include <vector>

#include "bytecode/exec.h"

namespace msjit {

// The topmost items, popped, the lowest first.
inline std::vector<SymRef> take(SymFrame& f, int count) {
  std::vector<SymRef> items(f.stack.end() - count, f.stack.end());
  f.stack.resize(f.stack.size() - count);
  return items;
}

// Puts entries into a dict of the region.
bool put_all(Executor& x, const SymRef& dict,
             const std::vector<std::pair<SymRef, SymRef>>& entries);

// Whether the class of an object supports iter().
inline bool is_iterable(PyObject* object) {
  return Py_TYPE(object)->tp_iter || PySequence_Check(object);
}

}  // namespace msjit
