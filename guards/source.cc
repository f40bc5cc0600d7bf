#include "guards/source.h"

namespace msjit {

PyObject* instance_dict(PyObject* object) {
  PyObject** slot = _PyObject_GetDictPtr(object);
  return slot ? *slot : nullptr;
}

namespace {

PyObject* lookup(PyObject* dict, const Source& source) {
  if (!dict) return nullptr;
  // Keys are exact strings or ints, so neither hashing nor comparing them runs Python code.
  return _PyDict_GetItem_KnownHash(dict, source.key.get(), source.hash);
}

}  // namespace

PyObject* load_source(const Source& source, const Slots& slots, PyObject* const* registers) {
  PyObject* base = source.base >= 0 ? registers[source.base] : nullptr;
  switch (source.kind) {
    case LoadKind::kLocal: return slots.locals[source.index];
    case LoadKind::kStack: return slots.stack[source.index];
    case LoadKind::kGlobal: return lookup(slots.globals, source);
    case LoadKind::kBuiltin: return lookup(slots.builtins, source);
    case LoadKind::kConst: return source.key.get();
    case LoadKind::kCellContents: return PyCell_GET(base);
    case LoadKind::kInstanceAttr: return lookup(instance_dict(base), source);
    case LoadKind::kInstanceDict: return instance_dict(base);
    case LoadKind::kDictItem: return lookup(base, source);
    case LoadKind::kListItem:
      return source.index < PyList_GET_SIZE(base) ? PyList_GET_ITEM(base, source.index) : nullptr;
    case LoadKind::kTupleItem:
      return source.index < PyTuple_GET_SIZE(base) ? PyTuple_GET_ITEM(base, source.index) : nullptr;
    case LoadKind::kMethodSelf: return PyMethod_GET_SELF(base);
    case LoadKind::kMethodFunction: return PyMethod_GET_FUNCTION(base);
    case LoadKind::kMember: return object_at(base, source.index);
  }
  return nullptr;
}

}  // namespace msjit
