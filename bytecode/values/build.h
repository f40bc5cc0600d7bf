// What the functions share that make objects at a region's exit (Recipe::build) and change them
// (EffectKind).
#pragma once

#include "bytecode/capture.h"

namespace msjit {

inline Recipe made_by(Build build) { return {.kind = RecipeKind::kMade, .build = build}; }

// A borrowed argument; null where it is absent.
inline PyObject* argument(const Recipe& recipe, const Objects& objects, size_t i) {
  return recipe.args[i] < 0 ? nullptr : objects[recipe.args[i]].get();
}

// A tuple of the arguments; one of the class `object`, where there is one. A list of them.
Ref build_tuple(const Recipe& recipe, const Objects& objects);
Ref build_list(const Recipe& recipe, const Objects& objects);
// The attribute `object` of the argument, and a call of that method.
Ref build_attribute(const Recipe& recipe, const Objects& objects);
Ref build_method_call(const Recipe& recipe, const Objects& objects);
// A call of a type with the arguments.
Ref build_call(PyTypeObject* type, const Recipe& recipe, const Objects& objects);

extern const EffectKind effect_list_append,  // the values go behind what the list holds then
    effect_dict_items, effect_set_attribute;

}  // namespace msjit
