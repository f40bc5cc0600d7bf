// How the values of kComputed are made at a region's exit: each of these is the `build` of a
// Computation, whose `number` says which operator or function is meant.
#pragma once

#include "bytecode/values/build.h"

namespace msjit {

// The lowest bits of Recipe::number are the index of the class that the result must have.
constexpr int kClassBits = 3;

namespace computed_builds {

Ref binary(const Recipe& recipe, const Objects& objects);
Ref numpy_binary(const Recipe& recipe, const Objects& objects);
Ref compare(const Recipe& recipe, const Objects& objects);
Ref unary(const Recipe& recipe, const Objects& objects);
Ref function_call(const Recipe& recipe, const Objects& objects);
Ref format(const Recipe& recipe, const Objects& objects);
Ref concat(const Recipe& recipe, const Objects& objects);
Ref length(const Recipe& recipe, const Objects& objects);
Ref item(const Recipe& recipe, const Objects& objects);

}  // namespace computed_builds
}  // namespace msjit
