// What the turns of a loop hand on to each other: locals that the body assigns, items and
// attributes that it replaces. The tensors in them are carried.
#include <fmt/core.h>

#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/instance.h"
#include "bytecode/loop_body.h"
#include "graph/control.h"
#include "guards/py/objects.h"

namespace msjit {
namespace {

constexpr int kMaxDepth = 4;        // of containers in one another
constexpr size_t kMaxItems = 256;   // of a container whose tensors are carried
constexpr size_t kMaxStored = 64;   // items and attributes that one loop may replace
constexpr int64_t kMaxStep = 4096;  // of a counter

using Part = std::variant<int, std::string>;

// The items of a tuple or list; of a dict its values.
std::vector<SymRef> parts_of(const SymValue& container) {
  std::vector<SymRef> parts = container.items;
  for (const auto& [key, item] : container.entries) parts.push_back(item);
  return parts;
}

// Finds `owner` among the values that `from` leads to, and writes down the way.
bool find_way(const SymRef& from, const SymRef& owner, std::vector<Part>* way) {
  if (from == owner) return true;
  if (!from || way->size() >= kMaxDepth) return false;
  const auto leads = [&](Part part, const SymRef& to) {
    way->push_back(std::move(part));
    if (find_way(to, owner, way)) return true;
    way->pop_back();
    return false;
  };
  const bool container =
      from->kind == SymKind::kTuple || from->kind == SymKind::kList || from->kind == SymKind::kDict;
  if (container && !from->cls) {
    const std::vector<SymRef> parts = parts_of(*from);
    for (size_t i = 0; i < std::min(parts.size(), kMaxItems); ++i)
      if (leads(static_cast<int>(i), parts[i])) return true;
  }
  if (from->kind != SymKind::kObject) return false;
  return std::ranges::any_of(from->attributes,
                             [&](const auto& one) { return leads(one.first, one.second); });
}

// The place of an item; null where there is none.
SymRef* item_at(Executor& x, const SymRef& owner, int index) {
  const auto i = static_cast<size_t>(index);
  if (owner->kind == SymKind::kCell) {
    x.heap().cell_contents(owner);
    owner->items.resize(1, null_sym());
    return &owner->items[0];
  }
  if (owner->cls) return nullptr;
  if (owner->kind == SymKind::kDict)
    return x.heap().dict_all(owner) && i < owner->entries.size() ? &owner->entries[i].second
                                                                 : nullptr;
  if (owner->kind != SymKind::kList && owner->kind != SymKind::kTuple) return nullptr;
  return x.heap().items(owner) && i < owner->items.size() ? &owner->items[i] : nullptr;
}

// The value of a part. Null, where the executor has not failed: there is none.
bool read_part(Executor& x, const SymRef& owner, const Part& part, SymRef* out) {
  if (!x.heap().realize(owner)) return true;
  if (const int* index = std::get_if<int>(&part)) {
    if (const SymRef* item = item_at(x, owner, *index)) *out = *item;
    return true;
  }
  if (owner->kind != SymKind::kObject) return true;
  return generic_get_attr(x, owner, interned_text(std::get<std::string>(part).c_str()).get(), out);
}

}  // namespace

LoopBody::Carried* LoopBody::carried_value(const SymRef& inside) {
  const auto found = std::ranges::find_if(
      carried_, [&](const Carried& c) { return !c.written && c.inside == inside; });
  return found == carried_.end() ? nullptr : &*found;
}

// The value with placeholders for its tensors; the value itself where it holds none.
SymRef LoopBody::open(const SymRef& value, const std::string& name, int depth) {
  if (!x_.heap().realize(value)) return value;
  if (value->is_tensor()) {
    if (value->object && !is_exact_tensor(value->object.get())) return value;
    SymRef inside = make_tensor(placeholder(value->tensor));
    inside->joined = true;
    carried_.push_back({name, value, inside});
    return inside;
  }
  const bool dict = value->kind == SymKind::kDict, tuple = value->kind == SymKind::kTuple;
  if (depth == kMaxDepth || (!dict && !tuple && value->kind != SymKind::kList)) return value;
  if (!tuple && (value->cls || !value->attributes.empty())) return value;
  if (dict ? !x_.heap().dict_all(value) : !x_.heap().items(value)) return value;
  if (value->items.size() + value->entries.size() > kMaxItems) return value;
  SymRef copy = make_sym(value->kind);
  copy->cls = value->cls;
  copy->joined = true;
  for (size_t i = 0; i < value->items.size(); ++i)
    copy->items.push_back(open(value->items[i], fmt::format("{}[{}]", name, i), depth + 1));
  for (const auto& [key, item] : std::vector<std::pair<SymRef, SymRef>>(value->entries))
    copy->entries.emplace_back(key, open(item, "an item of " + name, depth + 1));
  std::vector<SymRef> parts = parts_of(*copy);
  if (parts == parts_of(*value)) return value;
  opened_.push_back({copy, value, std::move(parts)});
  return copy;
}

bool LoopBody::is_opened(const SymRef& container) const {
  return std::ranges::any_of(opened_, [&](const Opened& one) {
    const SymRef& original = one.original;
    return original == container || (original->object && original->object == container->object);
  });
}

bool LoopBody::place_local(int slot) {
  const SymRef initial = x_.slot(frame_, slot);
  HandedOn local;
  local.name = name(slot);
  local.slot = slot;
  local.initial = initial;
  const auto step = facts_.counters.find(slot);
  if (step != facts_.counters.end() && step->second != 0) {
    if (!x_.look_open(initial)) return false;
    local.inside = Sizes::expr(initial) ? counter(initial, step->second) : nullptr;
  }
  if (!local.inside) local.inside = open_number(slot, initial);
  if (!local.inside) local.inside = open(initial, local.name);
  if (local.inside == initial) return true;
  body_.slots[slot] = local.inside;
  handed_on_.push_back(std::move(local));
  return true;
}

bool LoopBody::place_part(const LoopPlace& place) {
  HandedOn one;
  one.name = name(place.slot);
  one.owner = x_.slot(frame_, place.slot);
  one.part = place.way.back();
  for (size_t i = 0; i < place.way.size(); ++i) {
    const Part& part = place.way[i];
    const int* const index = std::get_if<int>(&part);
    one.name += index ? fmt::format("[{}]", *index) : "." + std::get<std::string>(part);
    if (is_opened(one.owner)) return refuse("the loop changes " + one.name);
    SymRef next;
    if (!read_part(x_, one.owner, part, &next)) return false;
    if (!next) return refuse("the loop changes " + one.name);
    (i + 1 < place.way.size() ? one.owner : one.initial) = std::move(next);
  }
  one.inside = open(one.initial, one.name);
  may_peel = true;
  // The body may assign the cell before it reads it, in each turn.
  if (one.owner->kind == SymKind::kCell && one.inside == one.initial) one.inside = null_sym();
  if (one.inside == one.initial)
    return refuse(
        fmt::format("the loop changes {}, which is {} before it", one.name, text(one.initial)));
  one.was_changed = one.owner->changed;
  if (const int* index = std::get_if<int>(&one.part))
    *item_at(x_, one.owner, *index) = one.inside;
  else if (!write_attribute(x_, one.owner, std::get<std::string>(one.part).c_str(), one.inside))
    return false;
  handed_on_.push_back(std::move(one));
  return true;
}

bool LoopBody::place_carried() {
  carried_.clear();
  handed_on_.clear();
  opened_.clear();
  for (int s = 0; s < code_.slot_count(); ++s)
    if (stored_[size_t(s)] && x_.control().live(code_, start_, s) && !place_local(s)) return false;
  return std::ranges::all_of(facts_.stored,
                             [&](const LoopPlace& place) { return place_part(place); });
}

// take_changes() has given the attributes their values before the loop again.
bool LoopBody::take_attributes(const ArmChanges& changes) {
  for (const ArmChanges::Attribute& stored : changes.attributes) {
    const auto known = std::ranges::find_if(handed_on_, [&](const HandedOn& one) {
      const auto* const attribute = std::get_if<std::string>(&one.part);
      return one.owner == stored.object && attribute && *attribute == stored.name;
    });
    if (known == handed_on_.end()) {
      learn_part(stored.object, stored.name);
      return refuse("the loop changes an attribute");
    }
    known->last = stored.value;
  }
  return true;
}

bool LoopBody::take_items() {
  for (HandedOn& one : handed_on_) {
    const int* const index = std::get_if<int>(&one.part);
    if (one.slot >= 0 || !index) continue;
    SymRef* const item = item_at(x_, one.owner, *index);
    if (!item) return refuse("the loop changes " + one.name);
    one.last = std::exchange(*item, one.initial);
    one.owner->changed = one.was_changed;
  }
  // The first turn would change what is outside.
  for (const Opened& one : opened_)
    if (parts_of(*one.copy) != one.parts)
      return refuse("the loop changes what a list or dict holds");
  return true;
}

// Notes a part that the body replaces, for the next run of the capture. False: no local leads to
// it.
bool LoopBody::learn_part(const SymRef& owner, Part part) {
  for (int s = 0; s < code_.slot_count() && facts_.stored.size() < kMaxStored; ++s) {
    LoopPlace place{s, {}};
    if (stored_[size_t(s)] || !find_way(body_.slots[s], owner, &place.way)) continue;
    place.way.push_back(std::move(part));
    if (!facts_.stored.insert(std::move(place)).second) return false;
    return x_.control().restart = true;
  }
  return false;
}

bool LoopBody::check_heap(const HeapMark& before, HeapMark::Allowed* allowed) {
  const std::string what = before.change(x_.heap(), allowed);
  if (!what.empty()) {
    may_peel = allowed->met_first;
    return refuse("the loop changes a " + what);
  }
  if (std::ranges::any_of(allowed->grown, [&](const SymRef& list) { return is_opened(list); }))
    return refuse("the loop appends to a list that it also hands on");
  for (const auto& [owner, index] : allowed->replaced)
    if (!learn_part(owner, index)) break;
  return allowed->replaced.empty() ||
         refuse("the loop changes a " + describe(*allowed->replaced[0].first));
}

bool LoopBody::learn_counter(int slot, const SymRef& before, const SymRef& last) {
  if (!x_.look_open(before) || !Sizes::expr(before) || !Sizes::expr(last)) return false;
  const SymRef step = x_.sizes().binary(SizeOp::kSub, last, before);
  if (!step || step->kind != SymKind::kConst || facts_.counters.count(slot)) return false;
  const int64_t by = PyLong_AsLongLong(step->object.get());
  if (by == 0 || std::abs(by) > kMaxStep || !counter(before, by)) return false;
  facts_.counters[slot] = by;
  return x_.control().restart = true;
}

bool LoopBody::check_tensor(Carried& c, const SymRef& last) {
  may_peel = true;
  if (!last || !last->is_tensor() || !can_join(last->tensor.meta(), c.inside->tensor.meta()))
    return refuse(fmt::format("the loop changes {}: it is {} before it and {} in it", c.name,
                              c.inside->tensor.meta().str(), text(last)));
  if (is_borrowed(last)) {
    may_peel = false;
    return refuse(c.name + " is a view of a tensor made outside the loop");
  }
  c.last = last;
  if ((c.next = joiner_->leaving(0, last)) < 0)
    return refuse(fmt::format("{} is {}", c.name, joiner_->why));
  return true;
}

bool LoopBody::check_counter(const HandedOn& local, const SymRef& last) {
  const SymRef &first = local.inside->items[0], &step = local.inside->items[1];
  // `n - 1` and `n + -1` are different expressions.
  const int64_t by = PyLong_AsLongLong(step->object.get());
  const auto is_next = [&](SizeOp op, const SymRef& other) {
    const SymRef next = x_.sizes().binary(op, first, other);
    return next && same_expr(Sizes::expr(next), Sizes::expr(last->items[0]));
  };
  const bool same_step = last && last->kind == SymKind::kTurn &&
                         same_expr(Sizes::expr(step), Sizes::expr(last->items[1])) &&
                         (is_next(SizeOp::kAdd, step) || is_next(SizeOp::kSub, sym_int(-by)));
  if (same_step) return true;
  facts_.counters[local.slot] = 0;
  x_.control().restart = true;
  return refuse(local.name + " grows by other steps in other turns");
}

// Checks that the next turn would find at the end of the body what this one found at its beginning.
bool LoopBody::check_value(const std::string& name, const SymRef& inside, const SymRef& last) {
  if (Carried* c = carried_value(inside))
    return c->inside->is_tensor() ? check_tensor(*c, last) : check_number(*c, last);
  const bool opened = std::ranges::find(opened_, inside, &Opened::copy) != opened_.end();
  const auto changes = [&] {
    may_peel = true;
    return refuse(fmt::format("the loop changes {}, which is {} before it", name, text(inside)));
  };
  if (!opened) return inside == last || (last && Joiner::same(inside, last)) || changes();
  // The same container again would have to be the one from before the loop.
  if (!last || last == inside || last->kind != inside->kind || !(last->cls == inside->cls) ||
      !last->attributes.empty() || last->items.size() != inside->items.size() ||
      last->entries.size() != inside->entries.size())
    return changes();
  for (size_t i = 0; i < inside->entries.size(); ++i)
    if (!Joiner::same(inside->entries[i].first, last->entries[i].first)) return changes();
  const std::vector<SymRef> before = parts_of(*inside), behind = parts_of(*last);
  for (size_t i = 0; i < before.size(); ++i)
    if (!check_value(fmt::format("{}[{}]", name, i), before[i], behind[i])) return false;
  return true;
}

bool LoopBody::check_local(int slot) {
  const SymRef last = body_.slots[slot];
  const auto found = std::ranges::find(handed_on_, slot, &HandedOn::slot);
  if (found != handed_on_.end())
    return found->inside->kind == SymKind::kTurn ? check_counter(*found, last)
                                                 : check_value(found->name, found->inside, last);
  if (!last) return true;  // a local of the outermost frame that the body does not touch
  const SymRef before = x_.slot(frame_, slot);
  if (before == last || Joiner::same(before, last)) return true;
  may_peel = true;
  if (!learn_counter(slot, before, last)) learn_number(slot, before, last);
  return refuse(
      fmt::format("the loop changes {}, which is {} before it", name(slot), text(before)));
}

bool LoopBody::check_back() {
  for (int s = 0; s < code_.slot_count(); ++s)
    if (x_.control().live(code_, start_, s) && !check_local(s)) return false;
  for (const HandedOn& one : handed_on_)
    if (one.slot < 0 && !one.inside->is_null() && !check_value(one.name, one.inside, one.last))
      return false;
  if (body_.stack.size() != frame_.stack.size())
    return refuse("the loop body changes the number of values on the stack");
  for (size_t i = 0; i < body_.stack.size(); ++i)
    if (!Joiner::same(frame_.stack[i], body_.stack[i]))
      return refuse("the loop changes a value on the stack");
  return true;
}

bool LoopBody::store_behind(const HandedOn& one) {
  const int* const index = std::get_if<int>(&one.part);
  if (one.owner->kind == SymKind::kCell) {
    one.owner->items = {one.after};
    note_change(one.owner);
    return true;
  }
  if (!index)
    return write_attribute(x_, one.owner, std::get<std::string>(one.part).c_str(), one.after);
  const bool dict = one.owner->kind == SymKind::kDict;
  const SymRef key = dict ? one.owner->entries[static_cast<size_t>(*index)].first : sym_int(*index);
  return x_.set_item(one.owner, key, one.after);
}

}  // namespace msjit
