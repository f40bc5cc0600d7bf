// Functions of sys about the thread and the interpreter; pure functions of modules with few of
// them.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

// sys.exc_info() is known if no exception is being handled, in the region or around it.
bool model_exc_info(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "exc_info", args, names, 0, 0)) return false;
  if (!x.handled().empty() || !x.heap().guard_unhandled())
    return x.fail(BreakReason::kException, "sys.exc_info()");
  *out = make_items(SymKind::kTuple, {sym_none(), sym_none(), sym_none()});
  return true;
}

bool model_exception(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "exception", args, names, 0, 0)) return false;
  if (!x.handled().empty()) return *out = x.handled().back().exception, true;
  if (!x.heap().guard_unhandled()) return x.fail(BreakReason::kException, "sys.exception()");
  return *out = sym_none(), true;
}

bool model_recursion_limit(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "getrecursionlimit", args, names, 0, 0)) return false;
  return *out = sym_int(x.heap().guard_recursion_limit()), true;
}

const ModelRow kSystemModels[] = {{"exc_info", model_exc_info},
                                  {"exception", model_exception},
                                  {"getrecursionlimit", model_recursion_limit}};

}  // namespace

const ModelTable models_system = {"sys", kSystemModels, {}};

// Functions of other modules that only compute with values.
const char* const kBisections[] = {"bisect_left", "bisect_right"};
const char* const kPaths[] = {"fspath"};
const ModelTable models_bisect = {"bisect", {}, kBisections};
const ModelTable models_posix = {"posix", {}, kPaths};

}  // namespace msjit
