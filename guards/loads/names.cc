// Globals and builtins of the frame, and the dictionaries that hold them.
#include "guards/memo.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// Names are exact strings, so neither hashing nor comparing them runs Python code.
PyObject* look_up(PyObject* dict, const Source& source) {
  return host::call(host::checked, _PyDict_GetItem_KnownHash, dict, source.key.address(),
                    source.hash);
}

PyObject* find_global(const Source& source, PyObject*, const Slots& slots) {
  return look_up(slots.globals, source);
}

PyObject* find_builtin(const Source& source, PyObject*, const Slots& slots) {
  return look_up(slots.builtins, source);
}

PyObject* find_globals(const Source&, PyObject*, const Slots& slots) { return slots.globals; }

PyObject* find_builtins(const Source&, PyObject*, const Slots& slots) {
  return PyDict_CheckExact(slots.builtins) ? slots.builtins : nullptr;
}

Trust trust_global(const Source& source, PyObject*, Trust, PyObject* object, MemoBuilder& memo) {
  return memo.changing_lookup(memo.slots().globals, source, object);
}

Trust trust_builtin(const Source& source, PyObject*, Trust, PyObject* object, MemoBuilder& memo) {
  return memo.changing_lookup(memo.slots().builtins, source, object);
}

// A memo first compares both dictionaries of the frame.
Trust trust_dict(const Source&, PyObject*, Trust, PyObject*, MemoBuilder&) {
  return Trust::kPointer;
}

}  // namespace

const LoadKind load::global = {.name = "global", .find = find_global, .trust = trust_global};
// A guard before it says that the globals lack the key.
const LoadKind load::builtin = {.name = "builtin", .find = find_builtin, .trust = trust_builtin};
const LoadKind load::globals_dict = {
    .name = "globals", .find = find_globals, .trust = trust_dict, .can_fail = false};
const LoadKind load::builtins_dict = {
    .name = "builtins", .find = find_builtins, .trust = trust_dict};

}  // namespace msjit
