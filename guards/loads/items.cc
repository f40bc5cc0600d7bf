// Items of dicts, lists and tuples. Guards before these loads have checked the container.
#include "guards/memo.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

// The keys are those that Heap::pin_key admits: hashing or comparing them runs no Python code.
PyObject* find_in_dict(const Source& source, PyObject* base, const Slots&) {
  return host::call(host::checked, _PyDict_GetItem_KnownHash, base, source.key.address(),
                    source.hash);
}

PyObject* find_in_list(const Source& source, PyObject* base, const Slots&) {
  return source.index < PyList_GET_SIZE(base) ? PyList_GET_ITEM(base, source.index) : nullptr;
}

PyObject* find_in_tuple(const Source& source, PyObject* base, const Slots&) {
  return source.index < PyTuple_GET_SIZE(base) ? PyTuple_GET_ITEM(base, source.index) : nullptr;
}

Trust trust_in_dict(const Source& source, PyObject* base, Trust, PyObject* object,
                    MemoBuilder& memo) {
  return memo.changing_lookup(base, source, object);
}

Trust trust_in_list(const Source& source, PyObject* base, Trust, PyObject* object,
                    MemoBuilder& memo) {
  auto* list = reinterpret_cast<PyListObject*>(base);
  memo.word(&list->ob_base.ob_size);
  memo.word(&list->ob_item);
  memo.word(&list->ob_item[source.index]);
  return memo.by_pointer(object);
}

Trust trust_in_tuple(const Source& source, PyObject* base, Trust base_trust, PyObject* object,
                     MemoBuilder& memo) {
  if (base_trust == Trust::kExact) return Trust::kExact;
  if (!PyTuple_CheckExact(base)) return Trust::kNone;
  memo.word(&reinterpret_cast<PyVarObject*>(base)->ob_size);
  memo.word(&reinterpret_cast<PyTupleObject*>(base)->ob_item[source.index]);
  return memo.alive(object);
}

}  // namespace

const LoadKind load::dict_item = {
    .name = "dict item", .find = find_in_dict, .trust = trust_in_dict};
// These cannot fail because a guard has checked the length.
const LoadKind load::list_item = {
    .name = "list item", .find = find_in_list, .trust = trust_in_list, .can_fail = false};
const LoadKind load::tuple_item = {
    .name = "tuple item", .find = find_in_tuple, .trust = trust_in_tuple, .can_fail = false};

}  // namespace msjit
