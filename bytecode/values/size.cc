#include "bytecode/exit.h"
#include "bytecode/values/value_kind.h"

namespace msjit {
namespace {

PyTypeObject* size_type(const SymValue&) { return &PyLong_Type; }

bool size_truth(Executor& x, const SymRef& value, bool* out) {
  return *out = x.sizes().decide(SizeCompare::kNotEqual, value->size, size_const(0)), true;
}

int size_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made{RecipeKind::kSize};
  made.size = value->size;
  return exit.add(std::move(made));
}

}  // namespace

const ValueKind value_size = {.name = "int that differs between calls",
                              .type = size_type,
                              .truth = size_truth,
                              .rebuild = size_rebuild};

}  // namespace msjit
