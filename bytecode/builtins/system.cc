// What Python's sys tells of the thread.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

// Known where nothing is handled, in the region or around it.
bool model_exc_info(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "exc_info", args, names, 0, 0)) return false;
  if (!x.handled().empty() || !x.heap().guard_unhandled())
    return x.fail(BreakReason::kException, "sys.exc_info()");
  *out = make_items(SymKind::kTuple, {sym_none(), sym_none(), sym_none()});
  return true;
}

const ModelRow kModels[] = {{"exc_info", model_exc_info}};

}  // namespace

const ModelTable models_system = {"sys", kModels, {}};

}  // namespace msjit
