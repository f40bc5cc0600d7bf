#include "kernels/core/registry.h"

#include <algorithm>
#include <unordered_map>

#include "kernels/core/ops.h"

namespace msjit {
namespace {

constexpr const OpDef* kOps[] = {
#define MSJIT_OP_ENTRY(name) &op_##name,
#include "op_list.inc"
#undef MSJIT_OP_ENTRY
};

}  // namespace

std::span<const OpDef* const> all_ops() { return kOps; }

const OpDef* find_op(std::string_view name) {
  const auto* end = std::end(kOps);
  const auto* at = std::lower_bound(std::begin(kOps), end, name, [](const OpDef* op, auto wanted) {
    return std::string_view(op->name) < wanted;
  });
  return at != end && name == (*at)->name ? *at : nullptr;
}

int op_id(const OpDef& op) {
  static const auto* table = [] {
    auto* map = new std::unordered_map<const OpDef*, int>;
    for (size_t i = 0; i < std::size(kOps); ++i) map->emplace(kOps[i], static_cast<int>(i));
    return map;
  }();
  auto found = table->find(&op);
  return found == table->end() ? -1 : found->second;
}

}  // namespace msjit
