// What a program has set on Tensor itself, as packages add methods to it: `Tensor.foo = foo`.
// Defined in pylib/ext.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace msjit {

// Names that are not what they were; those that were set back are not among them.
const std::vector<std::string>& names_set_on_tensor();
bool is_set_on_tensor(std::string_view name);
// Called after each change; null: nobody relies on what the class has.
extern void (*g_tensor_class_changed)();

}  // namespace msjit
