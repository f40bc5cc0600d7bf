// The math module: every function of it only computes with numbers.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {
const char* const kPureMath[] = {"*"};
}  // namespace

const ModelTable models_math = {"math", {}, kPureMath};

}  // namespace msjit
