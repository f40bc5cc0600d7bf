// The parts of a Python function. The globals and the closure of a function cannot be replaced.
#include "guards/memo.h"
#include "guards/py/compat.h"

namespace msjit {
namespace {

PyObject* find_globals(const Source&, PyObject* base, const Slots&) {
  return PyFunction_GET_GLOBALS(base);
}

PyObject* find_defaults(const Source&, PyObject* base, const Slots&) {
  return PyFunction_GET_DEFAULTS(base);
}

PyObject* find_kwdefaults(const Source&, PyObject* base, const Slots&) {
  return PyFunction_GET_KW_DEFAULTS(base);
}

PyObject* find_closure(const Source&, PyObject* base, const Slots&) {
  return PyFunction_GET_CLOSURE(base);
}

Trust trust_globals(const Source&, PyObject*, Trust, PyObject*, MemoBuilder&) {
  return Trust::kPointer;
}

Trust trust_defaults(const Source&, PyObject* base, Trust, PyObject* object, MemoBuilder& memo) {
  memo.word(&compat::function(base)->func_defaults);
  return memo.by_pointer(object);
}

Trust trust_kwdefaults(const Source&, PyObject* base, Trust, PyObject* object, MemoBuilder& memo) {
  memo.word(&compat::function(base)->func_kwdefaults);
  return memo.by_pointer(object);
}

Trust trust_closure(const Source&, PyObject*, Trust, PyObject*, MemoBuilder&) {
  return Trust::kExact;
}

}  // namespace

const LoadKind load::function_globals = {
    .name = "__globals__", .find = find_globals, .trust = trust_globals, .can_fail = false};
const LoadKind load::function_defaults = {
    .name = "__defaults__", .find = find_defaults, .trust = trust_defaults};
const LoadKind load::function_kwdefaults = {
    .name = "__kwdefaults__", .find = find_kwdefaults, .trust = trust_kwdefaults};
const LoadKind load::function_closure = {
    .name = "__closure__", .find = find_closure, .trust = trust_closure, .can_fail = false};

}  // namespace msjit
