// Builds the Python object of one recipe from the objects of others.
#pragma once

#include "bytecode/capture.h"

namespace msjit {

// Empty on failure. kRegister, kOutput, kSize and kNumber are the caller's.
Ref rebuild(const Recipe& recipe, const std::vector<Ref>& objects);

}  // namespace msjit
