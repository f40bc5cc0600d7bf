// The math module: every function of it only computes with numbers.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {
const char* const kPureNames[] = {"*"};
}  // namespace

const ModelTable models_math = {"math", {}, kPureNames};

}  // namespace msjit
