// Shared by the functions that make objects at a region's exit (Recipe::build) and that change
// objects there (EffectKind).
#pragma once

#include "bytecode/capture.h"

namespace msjit {

inline Recipe made_by(Build build) { return {.kind = &recipe_built, .build = build}; }

// A borrowed argument; null where it is absent.
inline PyObject* argument(const Recipe& recipe, const Objects& objects, size_t i) {
  return recipe.args[i] < 0 ? nullptr : objects[recipe.args[i]].get();
}

// A tuple of the arguments, of class `object` if that is given; a list of them.
Ref build_tuple(const Recipe& recipe, const Objects& objects);
Ref build_list(const Recipe& recipe, const Objects& objects);
// The attribute named `object` of the argument; the result of calling that method.
Ref build_attribute(const Recipe& recipe, const Objects& objects);
Ref build_method_call(const Recipe& recipe, const Objects& objects);
// A call of a type with the arguments.
Ref build_call(PyTypeObject* type, const Recipe& recipe, const Objects& objects);

extern const EffectKind effect_list_append,  // appends the values to the list
    effect_list_items,                       // gives the list these items
    effect_dict_items,  // and the dict these; or an instance derived from either
    effect_set_attribute;

}  // namespace msjit
