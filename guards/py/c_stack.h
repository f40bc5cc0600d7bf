// How much of the C stack is left. A function that recurses through native code uses C stack at
// every level. From 3.11 on CPython's recursion limit does not count that.
#pragma once

#include <cstddef>

namespace msjit {

// Bytes; a very large number where the stack of this thread is not known (fibers, say).
size_t c_stack_left();

// With less left, a native call of Python code raises RecursionError.
constexpr size_t kLeastStack = 256 << 10;
// With less left, frames are run by CPython.
constexpr size_t kDriveStack = 768 << 10;

}  // namespace msjit
