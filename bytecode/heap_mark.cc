#include <algorithm>

#include "bytecode/control.h"

namespace msjit {

HeapMark::HeapMark(const Heap& heap, const SymFrame& frame)
    : num_effects_(heap.effects()), num_arm_changes_(heap.arm_changes()) {
  for (const SymFrame* f = &frame; f; f = f->parent) {
    for (const SymRef& value : f->slots) add(value);
    for (const SymRef& value : f->stack) add(value);
  }
  heap.visit([this](const SymRef& value) { add(value); });
}

HeapMark::Seen HeapMark::see(const SymRef& value) {
  Seen seen{value, value->kind, value->changed, value->written.size(), {}, {}, 0};
  for (const SymRef& item : value->items) seen.parts.push_back(item.get());
  for (const auto& [key, item] : value->entries) {
    seen.parts.push_back(key.get());
    seen.parts.push_back(item.get());
  }
  for (const auto& [name, item] : value->attributes) seen.attributes.emplace_back(name, item.get());
  if (value->iterator) {
    for (const SymRef& child : value->iterator->children) seen.parts.push_back(child.get());
    seen.position = value->iterator->position * 2 + value->iterator->exhausted;
  }
  seen.position += int64_t{value->removals} << 32;
  return seen;
}

void HeapMark::add(const SymRef& value) {
  if (!value || !met_.emplace(value.get(), true).second) return;
  seen_.push_back(see(value));
  for (const SymRef& item : value->items) add(item);
  for (const auto& [key, item] : value->entries) add(key), add(item);
  for (const auto& [name, item] : value->attributes) add(item);
  if (value->iterator)
    for (const SymRef& child : value->iterator->children) add(child);
  if (value->iterator && value->iterator->generator) {
    const SymFrame& frame = value->iterator->generator->frame;
    for (const SymRef& local : frame.slots) add(local);
    for (const SymRef& item : frame.stack) add(item);
  }
  if (value->function)
    for (const SymRef& part : {value->function->defaults, value->function->kwdefaults,
                               value->function->annotations, value->function->closure})
      add(part);
}

// Whether a list or dict differs only in items, or this is a cell. They are added to `out`.
bool HeapMark::replaced_items(const Seen& before, const Seen& now,
                              std::vector<std::pair<SymRef, int>>* out) {
  if (now.kind == SymKind::kCell && before.kind == now.kind)
    return out->emplace_back(before.value, 0), true;
  const bool dict = now.kind == SymKind::kDict;
  if ((!dict && now.kind != SymKind::kList) || now.kind != before.kind ||
      now.parts.size() != before.parts.size() || now.position != before.position ||
      before.value->cls)
    return false;
  const size_t step = dict ? 2 : 1, known = out->size();
  for (size_t i = 0; i < now.parts.size(); ++i) {
    if (now.parts[i] == before.parts[i]) continue;
    if (dict && i % 2 == 0) return false;  // a key
    out->emplace_back(before.value, static_cast<int>(i / step));
  }
  return out->size() > known;
}

// Looking at a value of the program fills in its parts. That is no change.
std::string HeapMark::change(const Heap& heap, Allowed* allowed) const {
  std::string what;
  if (heap.arm_changes() != num_arm_changes_) return "tensor or an attribute";
  if (heap.effects() != num_effects_) return "printed line or a global";
  heap.visit([&](const SymRef& value) {  // met first in the arm
    if (!met_.count(value.get()) && (value->changed || !value->written.empty()))
      what = describe(*value);
  });
  if (!what.empty()) {
    if (allowed) allowed->met_first = true;
    return what;
  }
  for (const Seen& before : seen_) {
    const Seen now = see(before.value);
    const bool constant_now = before.kind == SymKind::kSize && now.kind == SymKind::kConst;
    const bool first_look = before.kind == SymKind::kLazy || constant_now;
    const bool program = before.value->source != kNoSource && !now.changed && !before.changed;
    const bool constant = now.kind == SymKind::kConst;
    bool same = (now.kind == before.kind || first_look) && now.changed == before.changed &&
                now.num_written == before.num_written && now.position == before.position &&
                now.parts.size() >= before.parts.size() &&
                now.attributes.size() >= before.attributes.size();
    // All attributes of an instance made in the region are known, so a new one is a change.
    same = same &&
           (now.attributes.size() == before.attributes.size() || before.value->source != kNoSource);
    same = same &&
           std::equal(before.attributes.begin(), before.attributes.end(), now.attributes.begin());
    const bool grown = now.parts.size() > before.parts.size();
    const bool filled =
        program && (first_look || before.value->kind == SymKind::kDict || before.parts.empty());
    // Looking at a whole dict of the program puts its known entries in order.
    const bool ordered = program && before.value->kind == SymKind::kDict;
    same = same && (!grown || filled || constant);
    const bool begins = now.parts.size() >= before.parts.size() &&
                        std::equal(before.parts.begin(), before.parts.end(), now.parts.begin());
    same = same && (ordered || first_look || begins);
    const bool is_list = now.kind == SymKind::kList || now.kind == SymKind::kRows;
    if (allowed && is_list && now.kind == before.kind && begins && !now.changed &&
        before.value->source == kNoSource && now.parts.size() == before.parts.size() + 1) {
      allowed->grown.push_back(before.value);
      continue;
    }
    if (!same && allowed && replaced_items(before, now, &allowed->replaced)) continue;
    if (!same && allowed)
      allowed->met_first = first_look || grown || now.attributes.size() > before.attributes.size();
    if (!same) return describe(*before.value);
  }
  return {};
}

}  // namespace msjit
