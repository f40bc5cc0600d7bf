#include "bytecode/values/size.h"

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"

namespace msjit {
namespace {

PyTypeObject* size_type(const SymValue&) { return &PyLong_Type; }

bool size_truth(Executor& x, const SymRef& value, bool* out) {
  return *out = x.sizes().decide(SizeCompare::kNotEqual, value->size, size_const(0)), true;
}

bool size_unary(Executor& x, const SymRef& value, UnaryOp op, SymRef* out, bool* known) {
  if (op != UnaryOp::kNegative) return true;
  *known = (*out = x.sizes().binary(SizeOp::kSub, sym_int(0), value)) != nullptr;
  return true;
}

int size_rebuild(ExitBuilder& exit, const SymRef& value) {
  Recipe made{&recipe_size};
  made.size = value->size;
  return exit.add(std::move(made));
}

}  // namespace

const ValueKind value_size = {.name = "int that differs between calls",
                              .type = size_type,
                              .truth = size_truth,
                              .binary = open_binary,
                              .compare = open_compare,
                              .unary = size_unary,
                              .rebuild = size_rebuild};

}  // namespace msjit
