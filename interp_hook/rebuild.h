// Builds the Python object of one recipe from loaded registers and the objects of earlier recipes.
#pragma once

#include "bytecode/capture.h"

namespace msjit {

// Empty with a Python exception set on failure. kOutput and kSize are the caller's.
Ref rebuild(const Recipe& recipe, PyObject* const* registers, const std::vector<Ref>& objects);

}  // namespace msjit
