// Finds the outputs of a capture that only replace the contents of a tensor of the program. These
// may be written over it in place (codegen/overwrites.cc).
#include <algorithm>

#include "bytecode/exit.h"
#include "bytecode/values/build.h"

namespace msjit {
namespace {

// How often each recipe, and each output of the graph, is used.
struct Uses {
  std::vector<int> recipes, outputs;
};

Uses count_uses(const Capture& capture) {
  Uses uses{std::vector<int>(capture.recipes.size()),
            std::vector<int>(capture.graph->outputs.size())};
  const auto use = [&](int32_t recipe) {
    if (recipe >= 0) ++uses.recipes[recipe];
  };
  for (const Recipe& recipe : capture.recipes) {
    std::ranges::for_each(recipe.args, use);
    if (recipe.kind == RecipeKind::kOutput || recipe.kind == RecipeKind::kScalar)
      ++uses.outputs[recipe.index];
  }
  for (const Effect& effect : capture.effects) {
    use(effect.target);
    std::ranges::for_each(effect.values, use);
  }
  for (const SlotWrite& write : capture.locals) use(write.recipe);
  std::ranges::for_each(capture.stack, use);
  use(capture.result);
  for (const Assumption& assumed : capture.assumptions) ++uses.outputs[assumed.output];
  return uses;
}

// Whether the exit can always build this object from the graph's outputs, memory permitting.
bool is_always_made(const Capture& capture, const Recipe& recipe) {
  switch (recipe.kind) {
    case RecipeKind::kRegister:
    case RecipeKind::kOutput:
    case RecipeKind::kConst:
    case RecipeKind::kDrawn:
    case RecipeKind::kSize: return true;
    case RecipeKind::kNumber: return false;
    case RecipeKind::kScalar: {
      const DType dtype = capture.graph->meta(capture.graph->outputs[recipe.index]).dtype;
      return is_float(dtype) && recipe.object.get() == reinterpret_cast<PyObject*>(&PyFloat_Type);
    }
    case RecipeKind::kMade:
      return (recipe.build == build_tuple && !recipe.object) || recipe.build == build_list;
  }
  return false;
}

}  // namespace

// A loop may stop for a signal handler, and an assumption may be wrong.
bool is_never_given_up(const Capture& capture) {
  return capture.assumptions.empty() &&
         std::ranges::none_of(capture.graph->nodes,
                              [](const Node& node) { return node.is_control(); }) &&
         std::ranges::all_of(capture.recipes,
                             [&](const Recipe& recipe) { return is_always_made(capture, recipe); });
}

// There are none if the region prints, because that runs code of the program between the region's
// reads and its writes.
std::vector<Overwrite> find_overwrites(const Capture& capture) {
  std::vector<Overwrite> found;
  const auto prints = [](const Effect& effect) { return effect.kind == &effect_print; };
  if (capture.joined || std::ranges::any_of(capture.effects, prints)) return found;
  const Uses uses = count_uses(capture);
  for (const Effect& effect : capture.effects) {
    if (effect.kind != &effect_write_tensor || effect.recorded) continue;
    const Recipe& value = capture.recipes[effect.values[0]];
    const Recipe& target = capture.recipes[effect.target];
    if (target.kind != RecipeKind::kRegister || value.kind != RecipeKind::kOutput ||
        uses.recipes[effect.values[0]] != 1 || uses.outputs[value.index] != 1)
      continue;
    const auto is_target = [&](SourceId source) {  // under any of its names
      return source == target.index || std::ranges::count(effect.same, source) != 0;
    };
    if (std::ranges::count_if(capture.inputs, is_target) != 1) continue;
    const auto input = std::ranges::find_if(capture.inputs, is_target);
    found.push_back({value.index, static_cast<int32_t>(input - capture.inputs.begin())});
  }
  return found;
}

}  // namespace msjit
