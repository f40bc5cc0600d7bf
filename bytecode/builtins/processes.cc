// Calls that wait for other processes. Every process must make them once and in program order,
// which a graph does not promise. They end the region, and the interpreter makes them.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

// Called before every such call, with the name by which the program knows it.
bool model_collective(Executor& x, Args args, PyObject*, SymRef*) {
  const bool named = args.size() == 1 && x.look(args[0]) && args[0]->kind == SymKind::kConst &&
                     PyUnicode_CheckExact(args[0]->object.get());
  return x.fail(BreakReason::kCollective, named ? utf8_text(args[0]->object.get()) : "a call");
}

const ModelRow kProcessModels[] = {{"collective", model_collective}};

}  // namespace

const ModelTable models_processes = {"msjit._msjit.processes", kProcessModels, {}};

}  // namespace msjit
