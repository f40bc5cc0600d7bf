// kVars: the __dict__ of an instance. Its operations are in bytecode/vars.cc.
#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/instance.h"
#include "bytecode/library.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* vars_type(const SymValue&) { return &PyDict_Type; }

bool vars_length(Executor& x, const SymRef& value, SymRef* out) {
  SymRef dict;
  return vars_all(x, value, &dict) && x.length(dict, out);
}

bool vars_truth(Executor& x, const SymRef& value, bool* out) {
  SymRef dict;
  return vars_all(x, value, &dict) && x.truth(dict, out);
}

bool vars_iterate(Executor& x, const SymRef& value, SymRef* out) {
  SymRef dict;
  return vars_all(x, value, &dict) && x.iterate(dict, out);
}

bool vars_contains(Executor& x, const SymRef& vars, const SymRef& item, bool* out) {
  SymRef value;
  if (!vars_get(x, vars, item, &value)) return false;
  return *out = value != nullptr, true;
}

bool vars_subscript(Executor& x, const SymRef& vars, const SymRef& key, SymRef* out) {
  if (!x.look_fixed(key) || !vars_get(x, vars, plain_value(x, key), out)) return false;
  return *out || x.raise_new(PyExc_KeyError, {key}, "dict lookup");
}

bool vars_set_item(Executor& x, const SymRef& vars, const SymRef& key, const SymRef& value) {
  SymRef removed;
  if (value) return vars_set(x, vars, key, value);
  if (!vars_remove(x, vars, key, &removed)) return false;
  return removed || x.raise_new(PyExc_KeyError, {key}, "dict lookup");
}

BuiltinModel vars_method(const SymRef&, const char* name) { return find_row(vars_methods(), name); }

int vars_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made = made_by(build_attribute);
  made.object = interned_text("__dict__");
  return exit.add(std::move(made), {value->items[0]});
}

}  // namespace

const ValueKind value_vars = {.name = "__dict__",
                              .type = vars_type,
                              .truth = vars_truth,
                              .length = vars_length,
                              .iterate = vars_iterate,
                              .contains = vars_contains,
                              .subscript = vars_subscript,
                              .set_item = vars_set_item,
                              .method = vars_method,
                              .rebuild = vars_rebuild};

}  // namespace msjit
