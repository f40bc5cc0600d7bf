#include "bytecode/drawn_numbers.h"
#include "bytecode/exit.h"
#include "bytecode/tensor_value.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

bool choice_refuse(Executor& x, const SymRef& value) {
  const char* const use = "a use, other than a call, of an object that a tensor index picks";
  return drawn_in(value) ? refuse_drawn(x, value, use) : x.fail(BreakReason::kUnsupported, use);
}

bool choice_call(Executor& x, const SymRef& choice, std::vector<SymRef> args, PyObject* names,
                 SymRef* out) {
  return call_choice(x, choice, args, names, out);
}

Ref build_choice(const Recipe& recipe, const Objects& objects) {
  const auto count = static_cast<Py_ssize_t>(recipe.args.size()) - 1;
  Py_ssize_t at = PyLong_AsSsize_t(argument(recipe, objects, 0));
  if (at == -1 && PyErr_Occurred()) return {};
  if (at < 0) at += count;
  if (at >= 0 && at < count)
    return Ref::share(argument(recipe, objects, static_cast<size_t>(at) + 1));
  PyErr_SetString(PyExc_IndexError, "[region] index out of range");
  return {};
}

// One that a tensor picks cannot leave; why it was not called says more.
int choice_rebuild(ExitBuilder& exit, const SymRef& value) {
  if (value->entries.empty()) return -1;
  std::vector<SymRef> parts = {value->entries[0].first};
  parts.insert(parts.end(), value->items.begin() + 1, value->items.end());
  return exit.add(made_by(build_choice), parts);
}

}  // namespace

const ValueKind value_choice = {.name = "object that a tensor picks",
                                .refuse = choice_refuse,
                                .asked_unread = true,
                                .call = choice_call,
                                .rebuild = choice_rebuild};

}  // namespace msjit
