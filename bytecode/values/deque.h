#pragma once

#include "bytecode/exec.h"

namespace msjit {

PyTypeObject* deque_type();  // collections.deque; null when it cannot be had
// deque(iterable, maxlen).
bool model_deque(Executor& x, const std::vector<SymRef>& args, PyObject* names, SymRef* out);

}  // namespace msjit
