// Automatic mixed precision in captured code. A scope that begins and ends inside the region casts
// the inputs of the operators that the program calls in between (Executor::apply_called).
#include "bytecode/builtins/models.h"
#include "guards/py/convert.h"

namespace msjit {
namespace {

bool model_push_cast(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "push_auto_cast", args, names, 1, 1) || !x.look(args[0])) return false;
  DType dtype;
  if (args[0]->kind != SymKind::kConst ||
      !dtype_from_object(args[0]->object.get(), "push_auto_cast", &dtype))
    return PyErr_Clear(), x.fail(BreakReason::kOpArguments, "push_auto_cast");
  if (x.in_arm())
    return x.fail(BreakReason::kUnsupported, "mixed precision inside a branch or loop on tensors");
  x.auto_casts().push(dtype, x.root_step());
  return *out = sym_none(), true;
}

bool model_pop_cast(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "pop_auto_cast", args, names, 0, 0)) return false;
  if (x.in_arm() || !x.auto_casts().pop())
    return x.fail(BreakReason::kUnsupported, "mixed precision that was begun outside");
  return *out = sym_none(), true;
}

const ModelRow kAutoCastModels[] = {{"push_auto_cast", model_push_cast},
                                    {"pop_auto_cast", model_pop_cast}};

}  // namespace

const ModelTable models_auto_cast = {"msjit._msjit", kAutoCastModels, {}};

}  // namespace msjit
