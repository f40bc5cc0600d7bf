// What instances and classes have under a name, without applying descriptors.
#include "guards/memo.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

PyObject* find_attr(const Source& source, PyObject* base, const Slots&) {
  return instance_item(base, source.key.address(), source.hash);
}

PyObject* find_dict(const Source&, PyObject* base, const Slots&) { return instance_dict(base); }

PyObject* find_member(const Source& source, PyObject* base, const Slots&) {
  return object_at(base, source.index);
}

PyObject* find_no_member(const Source& source, PyObject* base, const Slots&) {
  return object_at(base, source.index) ? nullptr : Py_None;
}

PyObject* find_on_class(const Source& source, PyObject* base, const Slots&) {
  return host::call(host::checked, _PyType_Lookup, reinterpret_cast<PyTypeObject*>(base),
                    source.key.address());
}

Trust trust_attr(const Source& source, PyObject* base, Trust, PyObject* object, MemoBuilder& memo) {
  PyObject* const name = source.key.address();
  if (memo.own_lookup(base, name)) return memo.alive(object);
  PyObject* dict = nullptr;
  memo.instance_dict_of(base, &dict);
  if (!dict) return Trust::kNone;
  // The dict of a module often changes under other names, so only this lookup is watched.
  if (!MemoBuilder::is_stable(base) || PyModule_Check(base))
    return memo.changing_lookup(dict, source, object);
  if (memo.dict_version(dict)) return Trust::kExact;
  return memo.shared_lookup(dict, name) ? memo.alive(object) : Trust::kNone;
}

Trust trust_dict(const Source&, PyObject* base, Trust, PyObject*, MemoBuilder& memo) {
  PyObject* dict = nullptr;
  memo.instance_dict_of(base, &dict);
  return dict ? Trust::kPointer : Trust::kNone;
}

Trust trust_member(const Source& source, PyObject* base, Trust, PyObject* object,
                   MemoBuilder& memo) {
  memo.word(reinterpret_cast<const char*>(base) + source.index);
  return memo.by_pointer(object);
}

Trust trust_no_member(const Source& source, PyObject* base, Trust, PyObject*, MemoBuilder& memo) {
  memo.word(reinterpret_cast<const char*>(base) + source.index);
  return Trust::kExact;
}

Trust trust_on_class(const Source&, PyObject* base, Trust, PyObject*, MemoBuilder& memo) {
  memo.class_version(reinterpret_cast<PyTypeObject*>(base));
  return Trust::kExact;
}

}  // namespace

const LoadKind load::instance_attr = {.name = "attribute", .find = find_attr, .trust = trust_attr};
const LoadKind load::instance_dict = {.name = "__dict__", .find = find_dict, .trust = trust_dict};
// The object pointer `index` bytes into the base.
const LoadKind load::member = {.name = "member", .find = find_member, .trust = trust_member};
// Finds the object None where that pointer is null; fails where it is not.
const LoadKind load::no_member = {
    .name = "no member", .find = find_no_member, .trust = trust_no_member};
// What a lookup on a class and its bases finds.
const LoadKind load::class_attr = {
    .name = "class attribute", .find = find_on_class, .trust = trust_on_class};

}  // namespace msjit
