// Models of functions of msjit itself that are no operators.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

// A Cell asks whether it is called by compiled code. Captured code is.
bool in_graph_call(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "in_graph_call", args, names, 0, 0)) return false;
  *out = sym_bool(true);
  return true;
}

const ModelRow kModels[] = {{"in_graph_call", in_graph_call}};

}  // namespace

const ModelTable models_own = {"msjit._msjit", kModels, {}};

}  // namespace msjit
