// How much of the C stack is left. A function that recurses through native code uses it up at every
// level, which CPython's own recursion limit does not know from 3.11 on.
#pragma once

#include <cstddef>

namespace msjit {

// Bytes; a very large number where the stack of this thread is not known (fibers, say).
size_t c_stack_left();

// Below this a native call of Python code raises RecursionError.
constexpr size_t kLeastStack = 256 << 10;
// Below this frames are CPython's.
constexpr size_t kDriveStack = 768 << 10;

}  // namespace msjit
