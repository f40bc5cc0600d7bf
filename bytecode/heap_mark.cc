#include <algorithm>

#include "bytecode/control.h"

namespace msjit {
namespace {

template <class T>
bool begins_with(const std::vector<T>& all, const std::vector<T>& first) {
  return all.size() >= first.size() && std::equal(first.begin(), first.end(), all.begin());
}

}  // namespace

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

bool HeapMark::has_one_more_item(const Seen& before, const Seen& now) {
  const bool is_list = now.kind == SymKind::kList || now.kind == SymKind::kRows;
  return is_list && now.kind == before.kind && !now.changed && before.value->source == kNoSource &&
         now.parts.size() == before.parts.size() + 1 && begins_with(now.parts, before.parts);
}

bool HeapMark::is_unchanged(const Seen& before, const Seen& now) {
  const bool first_look = is_first_look(before, now);
  if ((now.kind != before.kind && !first_look) || now.changed != before.changed ||
      now.num_written != before.num_written || now.position != before.position)
    return false;
  const bool of_program = before.value->source != kNoSource;
  // All attributes of an instance made in the region are known, so a new one is a change.
  if (!begins_with(now.attributes, before.attributes) ||
      (!of_program && now.attributes.size() > before.attributes.size()))
    return false;
  // Looking at a value of the program fills in its parts.
  const bool unwritten = of_program && !now.changed;
  const bool is_dict = now.kind == SymKind::kDict;
  const bool may_fill =
      now.kind == SymKind::kConst || (unwritten && (first_look || is_dict || before.parts.empty()));
  if (now.parts.size() < before.parts.size() ||
      (now.parts.size() > before.parts.size() && !may_fill))
    return false;
  // Looking at a whole dict of the program puts its known entries in order.
  const bool may_reorder = first_look || (unwritten && is_dict);
  return may_reorder || begins_with(now.parts, before.parts);
}

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
    if (is_unchanged(before, now)) continue;
    if (!allowed) return describe(*before.value);
    if (has_one_more_item(before, now)) {
      allowed->grown.push_back(before.value);
    } else if (!replaced_items(before, now, &allowed->replaced)) {
      allowed->met_first = is_first_look(before, now) || now.parts.size() > before.parts.size() ||
                           now.attributes.size() > before.attributes.size();
      return describe(*before.value);
    }
  }
  return {};
}

}  // namespace msjit
