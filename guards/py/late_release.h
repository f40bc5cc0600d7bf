// Memory of Python objects that tensors share. It is given back with the GIL, but a thread that
// drops the last such tensor without the GIL must not wait for it: the compile thread does its work
// under a lock for which a thread that forks waits, and that one holds the GIL.
#pragma once

namespace msjit {

// Calls release(context): now on a thread that holds the GIL, otherwise soon, on one that does.
// Never where the interpreter has ended.
void release_with_gil(void (*release)(void* context), void* context) noexcept;

}  // namespace msjit
