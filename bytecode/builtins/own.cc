// Models of functions of msjit itself that are no operators.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

// A Cell asks whether it is called by compiled code. Captured code is.
bool in_graph_call(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "in_graph_call", args, names, 0, 0) && (*out = sym_bool(true), true);
}

bool captured(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "captured", args, names, 0, 0) && (*out = sym_bool(true), true);
}

const ModelRow kOwnModels[] = {{"in_graph_call", in_graph_call}, {"captured", captured}};

}  // namespace

const ModelTable models_own = {"msjit._msjit", kOwnModels, {}};

}  // namespace msjit
