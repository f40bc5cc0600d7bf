// Checks decoded instructions: operands in range, stack deep enough, no NULL where an object is
// needed. A compiler's code always passes. A code object made by hand may not; it is then left to
// the interpreter. Code behind this check need not test these things again.
#pragma once

#include "bytecode/decode.h"

namespace msjit {

// Checks everything that does not depend on the stack.
Status verify_operands(const DecodedCode& code);
// Checks the stack depth of one instruction, before which `depth` items are on the stack.
Status verify_stack(const DecodedCode& code, const Instr& instr, int depth);

// What is known of an item of the stack. Calls and LoadFastAndClear leave NULLs there. Handlers
// find an exception, and the exception handled before it. From 3.11 on the instructions of handlers
// treat the item in that place as an exception without a check. MakeFunction treats its item as
// code in the same way.
enum class StackItem : uint8_t { kException, kCode, kObject, kNull, kEither };
using StackItems = std::vector<StackItem>;
// Applies the instruction to `items`, as if it falls through. Fails where it needs an object and
// the item may be something else.
Status step_items(const DecodedCode& code, const Instr& instr, StackItems* items);
// Merges `other` into `into`; returns whether `into` changed.
bool join_items(StackItems* into, const StackItems& other);

}  // namespace msjit
