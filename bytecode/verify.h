// Whether decoded instructions mean something: operands in range, stack deep enough. A compiler's
// code always does; a code object made by hand may not, and is then left to the interpreter. Behind
// this check nobody has to ask.
#pragma once

#include "bytecode/decode.h"

namespace msjit {

// Everything that does not depend on the stack depth.
Status verify_operands(const DecodedCode& code);
// `depth` items lie on the stack before the instruction.
Status verify_stack(const DecodedCode& code, const Instr& instr, int depth);

}  // namespace msjit
