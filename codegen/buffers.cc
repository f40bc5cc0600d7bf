// Liveness and the arena: intermediates whose lifetimes do not overlap share memory. Buffers are
// placed greedily, the largest first, each at the lowest offset that is free during its whole
// lifetime.
#include <algorithm>

#include "codegen/plan.h"

namespace msjit {
namespace {

constexpr int64_t kAlignment = 64;

struct Lifetime {
  int32_t slot;
  int32_t first = -1;  // step that writes it
  int32_t last = -1;   // last step that reads it, or a view of it
};

// By slot: the slot whose buffer holds it.
std::vector<int32_t> find_owners(const Plan& plan) {
  std::vector<int32_t> owner(plan.slots.size());
  for (size_t i = 0; i < owner.size(); ++i) owner[i] = static_cast<int32_t>(i);
  for (const PlanStep& step : plan.steps) {
    const int32_t from = step.kind == PlanStepKind::kView ? step.ops[0].in[0] : step.takes;
    for (int32_t slot : step.ops[0].out)
      if (from >= 0) owner[slot] = owner[from];
  }
  return owner;
}

std::vector<Lifetime> find_lifetimes(const Plan& plan, const std::vector<int32_t>& base) {
  std::vector<Lifetime> all(plan.slots.size());
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    for (const PlanOp& op : plan.steps[s]->ops) {
      for (int32_t slot : op.out) {
        if (all[slot].first < 0) all[slot].first = static_cast<int32_t>(s);
        all[base[slot]].last = std::max(all[base[slot]].last, static_cast<int32_t>(s));
      }
      for (int32_t slot : op.in)
        if (slot >= 0) all[base[slot]].last = static_cast<int32_t>(s);
    }
  }
  std::vector<Lifetime> arena;
  for (size_t i = 0; i < all.size(); ++i) {
    if (plan.slots[i].kind != PlanSlotKind::kArena || base[i] != static_cast<int32_t>(i)) continue;
    all[i].slot = static_cast<int32_t>(i);
    arena.push_back(all[i]);
  }
  return arena;
}

}  // namespace

std::vector<int32_t> find_bases(const Plan& plan) {
  std::vector<int32_t> base(plan.slots.size());
  for (size_t i = 0; i < base.size(); ++i) base[i] = static_cast<int32_t>(i);
  for (const PlanStep& step : plan.steps)
    if (step.kind == PlanStepKind::kView)
      for (int32_t slot : step.ops[0].out) base[slot] = base[step.ops[0].in[0]];
  return base;
}

void assign_arena(Plan* plan) {
  const std::vector<int32_t> owner = find_owners(*plan);
  std::vector<Lifetime> buffers = find_lifetimes(*plan, owner);
  auto size_of = [&](const Lifetime& b) {
    return std::max<int64_t>((plan->slots[b.slot].bytes + kAlignment - 1) / kAlignment, 1) *
           kAlignment;
  };
  std::stable_sort(buffers.begin(), buffers.end(),
                   [&](const Lifetime& a, const Lifetime& b) { return size_of(a) > size_of(b); });
  std::vector<Lifetime> placed;  // by offset
  for (const Lifetime& buffer : buffers) {
    int64_t offset = 0, size = size_of(buffer);
    auto at = placed.begin();
    for (; at != placed.end(); ++at) {
      int64_t begin = plan->slots[at->slot].offset;
      if (at->last < buffer.first || buffer.last < at->first || begin + size_of(*at) <= offset)
        continue;
      if (begin >= offset + size) break;
      offset = begin + size_of(*at);
    }
    plan->slots[buffer.slot].offset = offset;
    plan->arena_bytes = std::max(plan->arena_bytes, offset + size);
    placed.insert(std::upper_bound(
                      placed.begin(), placed.end(), offset,
                      [&](int64_t o, const Lifetime& p) { return o < plan->slots[p.slot].offset; }),
                  buffer);
  }
  for (size_t i = 0; i < owner.size(); ++i)
    if (plan->slots[i].kind == PlanSlotKind::kArena)
      plan->slots[i].offset = plan->slots[owner[i]].offset;
}

}  // namespace msjit
