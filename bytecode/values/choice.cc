#include "bytecode/exit.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

bool choice_refuse(Executor& x, const SymRef&) {
  return x.fail(BreakReason::kUnsupported,
                "a use, other than a call, of an object that a tensor index picks");
}

bool choice_call(Executor& x, const SymRef& choice, std::vector<SymRef> args, PyObject* names,
                 SymRef* out) {
  return call_choice(x, choice, args, names, out);
}

int choice_rebuild(ExitBuilder&, const SymRef&) { return -1; }  // why it was not called says more

}  // namespace

const ValueKind value_choice = {.name = "object that a tensor picks",
                                .refuse = choice_refuse,
                                .asked_unread = true,
                                .call = choice_call,
                                .rebuild = choice_rebuild};

}  // namespace msjit
