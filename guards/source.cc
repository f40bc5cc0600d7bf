#include "guards/source.h"

#include "guards/py/collector.h"
#include "guards/py/compat.h"

namespace msjit {

PyObject** instance_dict_slot(PyObject* object) {
  const compat::OwnValues own = compat::own_values(object);
  return own.items && !own.has_dict ? nullptr : _PyObject_GetDictPtr(object);
}

PyObject* instance_dict(PyObject* object) {
  QuietCollector none;  // by the making of a dictionary
  if (!existing_dict(object)) none.begin();
  PyObject** slot = _PyObject_GetDictPtr(object);
  return slot ? *slot : nullptr;
}

PyObject* existing_dict(PyObject* object) {
  PyObject** slot = instance_dict_slot(object);
  return slot ? *slot : nullptr;
}

bool has_attributes(PyObject* object) {
  return compat::own_values(object).items || _PyObject_GetDictPtr(object);
}

PyObject* instance_item(PyObject* object, PyObject* name, Py_hash_t hash) {
  const compat::OwnValues own = compat::own_values(object);
  if (own.items) return compat::own_item(own, name);
  PyObject* dict = existing_dict(object);
  return dict ? _PyDict_GetItem_KnownHash(dict, name, hash) : nullptr;
}

bool load_can_fail(LoadKind kind) {
  switch (kind) {
    case LoadKind::kGlobalsDict:
    case LoadKind::kConst:
    case LoadKind::kListItem:  // the length is guarded
    case LoadKind::kTupleItem:
    case LoadKind::kMethodSelf:
    case LoadKind::kMethodFunction:
    case LoadKind::kFunctionGlobals:
    case LoadKind::kFunctionClosure: return false;
    default: return true;
  }
}

namespace {

PyObject* lookup(PyObject* dict, const Source& source) {
  // Keys are exact strings or ints, so neither hashing nor comparing them runs Python code.
  return _PyDict_GetItem_KnownHash(dict, source.key.address(), source.hash);
}

}  // namespace

PyObject* load_source(const Source& source, const Slots& slots, PyObject* const* registers) {
  PyObject* base = source.base >= 0 ? registers[source.base] : Py_None;
  switch (source.kind) {
    case LoadKind::kLocal: return slots.locals[source.index];
    case LoadKind::kStack: return slots.stack[source.index];
    case LoadKind::kUnboundLocal: return slots.locals[source.index] ? nullptr : Py_None;
    case LoadKind::kNullItem: return slots.stack[source.index] ? nullptr : Py_None;
    case LoadKind::kGlobal: return lookup(slots.globals, source);
    case LoadKind::kBuiltin: return lookup(slots.builtins, source);
    case LoadKind::kGlobalsDict: return slots.globals;
    case LoadKind::kBuiltinsDict:
      return PyDict_CheckExact(slots.builtins) ? slots.builtins : nullptr;
    case LoadKind::kConst: return source.key.get();
    case LoadKind::kCellContents: return PyCell_GET(base);
    case LoadKind::kInstanceAttr: return instance_item(base, source.key.address(), source.hash);
    case LoadKind::kInstanceDict: return instance_dict(base);
    case LoadKind::kDictItem: return lookup(base, source);
    case LoadKind::kListItem:
      return source.index < PyList_GET_SIZE(base) ? PyList_GET_ITEM(base, source.index) : nullptr;
    case LoadKind::kTupleItem:
      return source.index < PyTuple_GET_SIZE(base) ? PyTuple_GET_ITEM(base, source.index) : nullptr;
    case LoadKind::kMethodSelf: return PyMethod_GET_SELF(base);
    case LoadKind::kMethodFunction: return PyMethod_GET_FUNCTION(base);
    case LoadKind::kMember: return object_at(base, source.index);
    case LoadKind::kFunctionGlobals: return PyFunction_GET_GLOBALS(base);
    case LoadKind::kFunctionDefaults: return PyFunction_GET_DEFAULTS(base);
    case LoadKind::kFunctionKwDefaults: return PyFunction_GET_KW_DEFAULTS(base);
    case LoadKind::kFunctionClosure: return PyFunction_GET_CLOSURE(base);
    case LoadKind::kClassAttr:
      return _PyType_Lookup(reinterpret_cast<PyTypeObject*>(base), source.key.address());
  }
  return nullptr;
}

}  // namespace msjit
