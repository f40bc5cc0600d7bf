// Special methods of containers called by name, as `d.__getitem__` is where it serves as a key.
#include "bytecode/builtins/models.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

bool call_contains(Executor& x, Args args, PyObject* names, SymRef* out) {
  bool found = false;
  return positional(x, "__contains__", args, names, 2, 2) && x.contains(args[0], args[1], &found) &&
         (*out = sym_bool(found), true);
}
bool call_getitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "__getitem__", args, names, 2, 2) && x.subscript(args[0], args[1], out);
}
bool call_setitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "__setitem__", args, names, 3, 3) && x.set_item(args[0], args[1], args[2]) &&
         (*out = sym_none(), true);
}
bool call_delitem(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "__delitem__", args, names, 2, 2) && x.del_item(args[0], args[1]) &&
         (*out = sym_none(), true);
}
bool call_len(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "__len__", args, names, 1, 1) && x.length(args[0], out);
}
bool call_iter(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "__iter__", args, names, 1, 1) && x.iterate(args[0], out);
}

bool call_format(Executor& x, Args args, PyObject* names, SymRef* out) {
  PyObject* const format = host::find_name(PyModule_GetDict(loaded_module("builtins")), "format");
  if (!format || !pure_name(format)) return wrong_arguments(x, "__format__");
  return positional(x, "__format__", args, names, 2, 2) &&
         call_pure(x, format, "format", args, names, out);
}

const ModelRow kProtocol[] = {{"__contains__", call_contains}, {"__getitem__", call_getitem},
                              {"__setitem__", call_setitem},   {"__delitem__", call_delitem},
                              {"__len__", call_len},           {"__iter__", call_iter},
                              {"__format__", call_format}};

bool is_container(const SymValue& value) {
  switch (value.kind) {
    case SymKind::kTuple: return !value.cls;
    case SymKind::kList:
    case SymKind::kDict:
    case SymKind::kSet:
    case SymKind::kMappingProxy: return true;
    case SymKind::kConst: {
      PyObject* const object = value.object.get();
      return PyTuple_CheckExact(object) || PyUnicode_CheckExact(object) ||
             PyFrozenSet_CheckExact(object) || PyRange_Check(object);
    }
    default: return false;
  }
}

}  // namespace

BuiltinModel protocol_method(const SymRef& self, const char* name) {
  const BuiltinModel model = is_container(*self) ? find_row(kProtocol, name) : nullptr;
  return model && host::find_on_class(type_of(*self), special_name(name)) ? model : nullptr;
}

}  // namespace msjit
