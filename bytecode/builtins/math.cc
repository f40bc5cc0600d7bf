// The math module: every function of it computes with numbers only.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {
const char* const kPureNames[] = {"*"};
}  // namespace

const ModelTable models_math = {"math", {}, kPureNames};

}  // namespace msjit
