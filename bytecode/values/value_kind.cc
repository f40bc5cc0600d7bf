#include "bytecode/values/value_kind.h"

#include <fmt/core.h>

#include "bytecode/builtins/models.h"

namespace msjit {

namespace {

const ValueKind* const kKinds[] = {
#define MSJIT_VALUE(kind, row) &value_##row,
#include "bytecode/values/kinds.def"
};

}  // namespace

const ValueKind& kind_of(SymKind kind) { return *kKinds[static_cast<int>(kind)]; }

const ValueKind& kind_to_read(PyObject* object) {
  for (const ValueKind* kind : kKinds)
    if (kind->takes && kind->takes(object)) return *kind;
  return value_object;
}

std::string describe(const SymValue& value) {
  const ValueKind& kind = kind_of(value.kind);
  return kind.describe ? kind.describe(value) : kind.name;
}

PyTypeObject* type_of(const SymValue& value) {
  if (value.cls) return reinterpret_cast<PyTypeObject*>(value.cls.get());
  const ValueKind& kind = kind_of(value.kind);
  return kind.type ? kind.type(value) : nullptr;
}

Ref constant_object(const SymRef& value) {
  const ValueKind& kind = kind_of(value);
  return kind.constant ? kind.constant(value) : Ref();
}

BuiltinModel find_method_model(const SymRef& self, const char* name) {
  const ValueKind& kind = kind_of(self);
  const BuiltinModel model = kind.method ? kind.method(self, name) : nullptr;
  return model || name[0] != '_' ? model : protocol_method(self, name);
}

bool declines_all(const SymRef&, BinaryOp) { return true; }

bool not_callable(Executor& x, const SymRef& value, std::vector<SymRef>, PyObject*, SymRef*) {
  return x.raise_new(PyExc_TypeError,
                     fmt::format("'{}' object is not callable", type_of(*value)->tp_name));
}

}  // namespace msjit
