#include "bytecode/exit.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* number_type(const SymValue&) { return &PyFloat_Type; }

int number_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made{RecipeKind::kNumber};
  made.open = value->number;
  return exit.add(std::move(made));
}

}  // namespace

const ValueKind value_number = {
    .name = "float that differs between calls", .type = number_type, .rebuild = number_rebuild};

}  // namespace msjit
