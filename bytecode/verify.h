// Whether decoded instructions mean something: operands in range, stack deep enough, no NULL where
// an object is wanted. A compiler's
// code always does; a code object made by hand may not, and is then left to the interpreter. Behind
// this check nobody has to ask.
#pragma once

#include "bytecode/decode.h"

namespace msjit {

// Everything that does not depend on the stack depth.
Status verify_operands(const DecodedCode& code);
// `depth` items lie on the stack before the instruction.
Status verify_stack(const DecodedCode& code, const Instr& instr, int depth);

// What is known of an item of the stack. Calls leave NULLs there, as does LoadFastAndClear;
// handlers find an exception, and keep the one that was handled before. From 3.11 on whatever lies
// in their place is taken for one. So is what a function is made of for code.
enum class StackItem : uint8_t { kException, kCode, kObject, kNull, kEither };
using StackItems = std::vector<StackItem>;
// Does to `items` what the instruction does when it falls through; fails where it wants an object
// and finds what may be none.
Status step_items(const DecodedCode& code, const Instr& instr, StackItems* items);
// Makes `into` hold for both; whether it changed.
bool join_items(StackItems* into, const StackItems& other);

}  // namespace msjit
