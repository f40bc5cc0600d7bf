// Functions of inspect. Most of them are Python code that is captured like that of the program;
// only what cannot be is modelled here.
#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// What the function wraps, from __wrapped__; `out` is null where there is no such attribute.
bool wrapped_by(Executor& x, const SymRef& function, SymRef* out) {
  static PyObject* const name = special_name("__wrapped__");
  {
    const Executor::Catching catching(x);
    if (x.get_attr(function, name, out)) return true;
  }
  if (!x.take_raised(PyExc_AttributeError)) return x.raise_on();
  return *out = nullptr, true;
}

// unwrap(func, *, stop=None). Python's own code notes the address of each object, to find cycles.
bool model_unwrap(Executor& x, Args args, PyObject* names, SymRef* out) {
  constexpr int kMost = 64;
  Keywords given(args, names);
  const SymRef stop = given.take("stop");
  if (!given.empty() || given.positional.size() != 1) return wrong_arguments(x, "unwrap");
  SymRef function = given.positional[0];
  const bool stops = stop && x.look(stop) && !stop->is_const(Py_None);
  for (int i = 0; i < kMost; ++i) {
    SymRef wrapped, answer;
    bool stopped = false;
    if (!x.look(function)) return false;
    // Versions differ in whether they look into classes.
    const bool is_class = function->kind == SymKind::kConst && PyType_Check(function->object.get());
    if (!wrapped_by(x, function, &wrapped)) return false;
    if (!wrapped) return *out = function, true;
    if (is_class) break;
    if (stops && (!x.call(stop, {function}, nullptr, &answer) || !x.truth(answer, &stopped)))
      return false;
    if (stopped) return *out = function, true;
    function = wrapped;
  }
  return wrong_arguments(x, "unwrap");
}

const ModelRow kInspectModels[] = {{"unwrap", model_unwrap}};

}  // namespace

const ModelTable models_inspect = {"inspect", kInspectModels, {}};

}  // namespace msjit
