// The two parts of a bound method, which keeps them for life.
#include "guards/memo.h"

namespace msjit {
namespace {

PyObject* find_self(const Source&, PyObject* base, const Slots&) { return PyMethod_GET_SELF(base); }

PyObject* find_function(const Source&, PyObject* base, const Slots&) {
  return PyMethod_GET_FUNCTION(base);
}

Trust trust(const Source&, PyObject*, Trust base_trust, PyObject*, MemoBuilder&) {
  return base_trust == Trust::kExact ? Trust::kExact : Trust::kNone;
}

}  // namespace

const LoadKind load::method_self = {
    .name = "__self__", .find = find_self, .trust = trust, .can_fail = false};
const LoadKind load::method_function = {
    .name = "__func__", .find = find_function, .trust = trust, .can_fail = false};

}  // namespace msjit
