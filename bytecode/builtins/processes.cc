// Calls that wait for other processes. Every process must make them once and in program order. The
// collective operators (kCollective) promise that and are part of the graph. Other calls end the
// region, and the interpreter makes them.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "kernels/eager/tape.h"

namespace msjit {

// An operator makes its call whenever the region runs. So nothing may decide before it, at the
// region's end, that the program does not come to it. Numbers that do not depend on tensors are
// computed before the run.
bool Executor::may_call_processes(const Attrs& attrs) {
  const std::string where(attrs[0].as_string());
  if (in_arm()) return fail(BreakReason::kCollective, where + " in a branch or loop on tensors");
  const auto is_number = [](const SymRef& value) { return value->kind == SymKind::kNumber; };
  if (!assumed_.empty() || !std::ranges::all_of(demands_, is_number))
    return fail(BreakReason::kCollective, where + " behind what may raise");
  if (gradient_scopes_.any()) return true;
  if (gradients_asked()) return fail_recorded(where);
  heap_.guard_no_gradients();
  return true;
}

namespace {

// Called before every other such call, with the name by which the program knows it.
bool model_collective(Executor& x, Args args, PyObject*, SymRef*) {
  const bool named = args.size() == 1 && x.look(args[0]) && args[0]->kind == SymKind::kConst &&
                     PyUnicode_CheckExact(args[0]->object.get());
  return x.fail(BreakReason::kCollective, named ? utf8_text(args[0]->object.get()) : "a call");
}

const ModelRow kProcessModels[] = {{"collective", model_collective}};

}  // namespace

const ModelTable models_processes = {"msjit._msjit.processes", kProcessModels, {}};

}  // namespace msjit
