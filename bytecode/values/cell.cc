#include "bytecode/exit.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/last_reference.h"

namespace msjit {
namespace {

PyTypeObject* cell_type(const SymValue&) { return &PyCell_Type; }

bool cell_takes(PyObject* object) { return PyCell_Check(object); }

// The contents are read on demand, so an empty cell is no error.
bool cell_read(Heap& heap, const SymRef& value) {
  heap.guard_exact_type(value);
  value->kind = SymKind::kCell;
  return true;
}

Ref build_cell(const Recipe& recipe, const Objects& objects) {
  return Ref::steal(PyCell_New(recipe.args.empty() ? nullptr : argument(recipe, objects, 0)));
}

bool set_contents(PyObject* cell, const Effect& effect, const Objects& objects) {
  PyObject* const contents = effect.values.empty() ? nullptr : objects[effect.values[0]].get();
  return PyCell_Set(cell, contents) == 0;
}

void drop_contents(PyObject* cell, const Effect&, Departure* departure) {
  departure->drop(PyCell_GET(cell));
}

constexpr EffectKind effect_cell_contents = {.apply = set_contents, .drops = drop_contents};

std::vector<SymRef> contents_of(const SymValue& cell) {
  const bool empty = cell.items.empty() || cell.items[0]->is_null();
  return empty ? std::vector<SymRef>() : cell.items;
}

int cell_rebuild(ExitBuilder& exit, const SymRef& value) {
  return exit.add(made_by(build_cell), contents_of(*value));
}

bool cell_replay(ExitBuilder& exit, const SymRef& value, int target) {
  return exit.write({&effect_cell_contents, target, {}, {}}, contents_of(*value));
}

}  // namespace

const ValueKind value_cell = {.name = "cell",
                              .type = cell_type,
                              .takes = cell_takes,
                              .read = cell_read,
                              .rebuild = cell_rebuild,
                              .replay = cell_replay};

}  // namespace msjit
