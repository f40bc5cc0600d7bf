// Steps with a gradient of their own (Cell.bprop, functions with a backward): a graph has no node
// for one. While no gradient is asked for it is like any other code; else the region ends before
// it.
#include "bytecode/builtins/models.h"
#include "kernels/eager/tape.h"

namespace msjit {
namespace {

bool model_records(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "records", args, names, 2, 2)) return false;
  if (gradients_asked()) return x.fail_recorded("a step with a gradient of its own");
  x.heap().guard_no_gradients();
  *out = sym_bool(false);
  return true;
}

const ModelRow kModels[] = {{"records", model_records}};

}  // namespace

const ModelTable models_gradients = {"msjit._msjit", kModels, {}};

}  // namespace msjit
