// Each instance is a kObject with attributes, whose items are a kList inside it. Methods inherited
// from list work on that kList, as CPython's own never call a method that the class overrides.
// Methods defined in Python are inlined like others.
#include "bytecode/list_objects.h"

#include <fmt/core.h>

#include <cstring>

#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

// __init__(iterable): the items it has are dropped first.
bool init_list(Executor& x, const SymRef& list, Args args, PyObject* names, SymRef* out) {
  std::vector<SymRef> items;
  if (!positional(x, "list.__init__", args, names, 1, 2)) return false;
  if (args.size() == 2 && !x.unpack(args[1], &items)) return false;
  list->items = std::move(items);
  note_change(list);
  return *out = sym_none(), true;
}

// `a + b` with a plain list or tuple on the right, which gives a plain list.
bool add_list(Executor& x, const SymRef& list, const SymRef& other, SymRef* out) {
  if (!x.look(other)) return false;
  return x.binary(make_items(SymKind::kList, list->items), other, BinaryOp::kAdd, false, out);
}

}  // namespace

SymRef new_list(PyTypeObject* type) {
  SymRef list = make_sym(SymKind::kList);
  list->cls = Ref::share(reinterpret_cast<PyObject*>(type));
  return list;
}

bool call_list_method(Executor& x, const char* name, std::vector<SymRef> args, PyObject* names,
                      SymRef* out) {
  const SymRef self = args[0];
  const SymRef list = x.heap().list_of(self);
  if (!list) return x.fail(BreakReason::kObjectType, x.heap().error);
  if (std::strcmp(name, "__init__") == 0) {
    if (!init_list(x, list, args, names, out)) return false;
  } else if (std::strcmp(name, "__add__") == 0 && args.size() == 2 && !names) {
    return add_list(x, list, args[1], out);
  } else {
    const BuiltinModel model = find_method_model(list, name);
    if (!model)
      return x.fail(BreakReason::kCallUnknown, fmt::format("{}.{}", describe(*self), name));
    args[0] = list;
    if (!model(x, args, names, out)) return false;
  }
  if (list->source != kNoSource && list->changed) self->changed = true;  // replays its items
  return true;
}

}  // namespace msjit
