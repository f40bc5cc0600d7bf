// The slots of a frame: its local variables and its value stack.
#include "guards/memo.h"

namespace msjit {
namespace {

PyObject* find_local(const Source& source, PyObject*, const Slots& slots) {
  return slots.locals[source.index];
}

PyObject* find_stack(const Source& source, PyObject*, const Slots& slots) {
  return slots.stack[source.index];
}

PyObject* find_unbound_local(const Source& source, PyObject*, const Slots& slots) {
  return slots.locals[source.index] ? nullptr : Py_None;
}

PyObject* find_null_item(const Source& source, PyObject*, const Slots& slots) {
  return slots.stack[source.index] ? nullptr : Py_None;
}

// A container in a slot has usually been made for this call, so its address is not compared.
template <bool kStack>
Trust trust(const Source& source, PyObject*, Trust, PyObject* object, MemoBuilder& memo) {
  if (!MemoBuilder::is_stable(object) || PyList_CheckExact(object) || PyTuple_CheckExact(object) ||
      PyDict_Check(object))
    return Trust::kNone;
  memo.root(kStack, source.index, object);
  return Trust::kPointer;
}

}  // namespace

const LoadKind load::local = {
    .name = "local", .find = find_local, .trust = trust<false>, .handed_in = true};
const LoadKind load::stack = {
    .name = "stack", .find = find_stack, .trust = trust<true>, .handed_in = true};

// Finds the object None where the slot is empty; fails where it is not.
const LoadKind load::unbound_local = {.name = "unbound local", .find = find_unbound_local};
const LoadKind load::null_item = {.name = "null item", .find = find_null_item};

}  // namespace msjit
