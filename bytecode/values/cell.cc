#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/last_reference.h"

namespace msjit {
namespace {

PyTypeObject* cell_type(const SymValue&) { return &PyCell_Type; }

Ref build_cell(const Recipe& recipe, const Objects& objects) {
  return Ref::steal(PyCell_New(recipe.args.empty() ? nullptr : argument(recipe, objects, 0)));
}

bool set_contents(PyObject* cell, const Effect& effect, const Objects& objects) {
  return PyCell_Set(cell, objects[effect.values[0]].get()) == 0;
}

void drop_contents(PyObject* cell, const Effect&, Departure* departure) {
  departure->drop(PyCell_GET(cell));
}

constexpr EffectKind effect_cell_contents = {.apply = set_contents, .drops = drop_contents};

int cell_rebuild(ExitBuilder& exit, const SymRef& value) {
  const bool empty = !value->items.empty() && value->items[0]->is_null();
  return exit.add(made_by(build_cell), empty ? std::vector<SymRef>() : value->items);
}

bool cell_replay(ExitBuilder& exit, const SymRef& value, int target) {
  return exit.write({&effect_cell_contents, target, {}, {}}, value->items);
}

}  // namespace

const ValueKind value_cell = {
    .name = "cell", .type = cell_type, .rebuild = cell_rebuild, .replay = cell_replay};

}  // namespace msjit
