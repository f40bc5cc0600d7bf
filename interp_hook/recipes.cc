#include "interp_hook/recipes.h"

#include <algorithm>

#include "bytecode/tensor_value.h"
#include "bytecode/values/build.h"
#include "guards/py/convert.h"
#include "guards/py/error.h"
#include "guards/py/objects.h"
#include "interp_hook/region_call.h"

namespace msjit {
namespace {

bool always(const Recipe&, const Graph&) { return true; }
bool never(const Recipe&, const Graph&) { return false; }

Ref loaded(const Recipe& recipe, const ExitState& exit) {
  return Ref::share(exit.registers[recipe.index]);
}

// A branch may return one of its inputs unchanged. Then the output is the very tensor of an input
// or of an earlier output, and this is the Python object of that. Empty when it is a new tensor.
Ref known_object(const ExitState& exit, const Tensor& tensor) {
  const Entry& entry = exit.entry;
  for (SourceId id : entry.inputs)
    if (id != kNoSource && tensor_of(exit.registers[id]).same(tensor))
      return Ref::share(exit.registers[id]);
  for (size_t i = 0; i < exit.objects.size(); ++i) {
    const Recipe& earlier = entry.recipes[i];
    if (earlier.kind == &recipe_output && exit.outputs[earlier.index].same(tensor))
      return exit.objects[i];
  }
  return {};
}

Ref tensor(const Recipe& recipe, const ExitState& exit) {
  const Tensor& output = exit.outputs[recipe.index];
  if (exit.entry.joined)
    if (Ref known = known_object(exit, output)) return known;
  Ref made = wrap_tensor(output);
  if (made && may_be_noted(output)) [[unlikely]]
    note_views(exit.entry, exit.registers, exit.objects, made.get());
  return made;
}

Ref size(const Recipe& recipe, const ExitState& exit) {
  int64_t value = 0;
  evaluate(*recipe.size, exit.sizes, &value);
  return Ref::steal(PyLong_FromLongLong(value));
}

Ref number(const Recipe& recipe, const ExitState& exit) {
  Ref made = evaluate(*recipe.open, exit.registers, exit.sizes);
  if (!made) *exit.error = kNumberRaises;
  return made;
}

Ref scalar(const Recipe& recipe, const ExitState& exit) {
  return number_from(exit.outputs[recipe.index], recipe.object.get());
}

Ref drawn(const Recipe& recipe, const ExitState& exit) { return exit.drawn.object(recipe.index); }

// An int of a float tensor may be one of a NaN.
bool is_float_of_float(const Recipe& recipe, const Graph& graph) {
  return is_float(graph.meta(graph.outputs[recipe.index]).dtype) &&
         recipe.object.get() == reinterpret_cast<PyObject*>(&PyFloat_Type);
}

Ref constant(const Recipe& recipe, const ExitState&) { return Ref::share(recipe.object.get()); }

Ref built(const Recipe& recipe, const ExitState& exit) {
  const Ref object = Ref::share(recipe.object.get());  // a collection may free it meanwhile
  if (recipe.object && !object) return {};
  return recipe.build(recipe, exit.objects);
}

bool is_plain_sequence(const Recipe& recipe, const Graph&) {
  return (recipe.build == build_tuple && !recipe.object) || recipe.build == build_list;
}

}  // namespace

const RecipeKind recipe_loaded = {.make = loaded, .is_certain = always};
const RecipeKind recipe_output = {.make = tensor, .is_certain = always};
const RecipeKind recipe_size = {.make = size, .is_certain = always};
const RecipeKind recipe_number = {.make = number, .is_certain = never};
const RecipeKind recipe_scalar = {.make = scalar, .is_certain = is_float_of_float};
const RecipeKind recipe_drawn = {.make = drawn, .is_certain = always};
const RecipeKind recipe_constant = {.make = constant, .is_certain = always};
const RecipeKind recipe_built = {.make = built, .is_certain = is_plain_sequence};

bool make_objects(const ExitState& exit, Objects* objects) {
  objects->reserve(exit.entry.recipes.size());
  for (const Recipe& recipe : exit.entry.recipes) {
    const bool written_over = recipe.kind == &recipe_output && !exit.outputs[recipe.index];
    Ref object = written_over ? Ref() : recipe.kind->make(recipe, exit);
    if (!object && !written_over) {
      if (exit.error->empty()) *exit.error = take_error_text();
      return false;
    }
    objects->push_back(std::move(object));
  }
  return true;
}

}  // namespace msjit
