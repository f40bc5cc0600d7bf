// What a program has set on the class Tensor itself, as packages that add methods do: `Tensor.foo =
// foo`. Defined in pylib/ext.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace msjit {

// Names whose value differs from the original; a name that was set back is not among them.
const std::vector<std::string>& names_set_on_tensor();
bool is_set_on_tensor(std::string_view name);
// Called after each change; null while nobody relies on what the class has.
extern void (*g_tensor_class_changed)();

}  // namespace msjit
