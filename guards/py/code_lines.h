// Source lines of a code object's instructions, read in one pass over its line table.
#pragma once

#include <vector>

#include "guards/py/ref.h"

namespace msjit {

// From byte offset `start` up to the next entry's; line -1 where the compiler gave none.
struct LineRange {
  int start;
  int line;
};

// In order of offsets. Empty when the table cannot be read.
std::vector<LineRange> code_lines(PyCodeObject* code);

}  // namespace msjit
