#include "interp_hook/point_policy.h"

#include <fmt/core.h>

#include <algorithm>

#include "interp_hook/config.h"
#include "interp_hook/driver.h"
#include "interp_hook/hook.h"

namespace msjit {
namespace {

constexpr int kWorthIt = 8;  // runs of a capture
// A point whose entries are used again may have this many times the usual number of captures. Such
// points exist where several networks share the code of a container.
constexpr int kManyForms = 8;

// Whether another capture may be made: few have been made, or most of them were used again.
bool may_capture(const EntryPoint& point) {
  const int limit = jit_config().max_entries_per_pc;
  if (point.captures < limit) return true;
  if (limit == 0) return false;
  if (paid_off(point)) return true;
  const auto used =
      std::ranges::count_if(point.entries, [](const auto& entry) { return entry->hits > 1; });
  return point.captures < kManyForms * limit && point.captures - used < limit;
}

}  // namespace

bool paid_off(const EntryPoint& point) {
  int64_t hits = point.hits;
  for (const auto& entry : point.entries) hits += entry->hits;
  return hits >= int64_t(kWorthIt) * point.captures;
}

void leave_alone(CodeState& state, int64_t retry_at) {
  state.inert = true;
  state.retry_at = retry_at;
  if (hook::marked(state.code) == drive_frame) hook::mark(state.code, nullptr);
}

// A full point is not looked at again: the driver would give it up, and stop looking for regions
// behind it.
bool is_due(const EntryPoint& point, int64_t calls) {
  if (!point.retry_at || calls < point.retry_at) return false;
  return may_capture(point);
}

void drop_seldom_used(EntryPoint& point) {
  std::vector<EntryBase*> seldom;
  for (const auto& entry : point.entries)
    if (entry->hits < kWorthIt) seldom.push_back(entry.get());
  for (EntryBase* entry : seldom) bury(*entry);
}

bool make_room(EntryPoint& point, bool whole) {
  const int limit = jit_config().max_entries_per_pc;
  if (!may_capture(point) && (limit == 0 || !whole)) return false;
  if (static_cast<int>(point.entries.size()) >= kManyForms * limit) bury(*point.entries.back());
  return true;
}

CaptureLimits limits_at(const EntryPoint& point) {
  constexpr int kManyCaptures = 4, kFewTurns = 16;
  CaptureLimits limits = jit_config().limits;
  if (point.captures > kManyCaptures && !paid_off(point)) limits.turns = kFewTurns;
  return limits;
}

namespace {

SizeHistory& history_of(EntryPoint& point, const std::string& source, int dim) {
  for (SizeHistory& known : point.sizes)
    if (known.dim == dim && known.source == source) return known;
  return point.sizes.emplace_back(SizeHistory{source, dim});
}

// "x.shape[0] is 5" for some of the open sizes of an entry whose guards hold.
std::string sizes_now(const EntryBase& entry, uint64_t symbols, const Slots& now,
                      PyObject** registers) {
  std::string text;
  int64_t sizes[kMaxSizeSymbols];
  if (entry.guards.check(now, registers) >= 0) return text;
  entry.open->load(registers, sizes);
  for (int i = 0; i < entry.open->count(); ++i)
    if ((symbols >> i) & 1)
      text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", entry.open->names[i], sizes[i]);
  return text;
}

// Notes a call in which a relation between open sizes did not hold.
std::string note_relation(EntryPoint& point, const SizeRelation& relation, const Slots& now,
                          PyObject** registers) {
  const EntryBase& entry = *point.entries.front();
  std::string text = sizes_now(entry, relation.symbols(), now, registers);
  for (int i = 0; i < entry.open->count(); ++i)
    if (((relation.symbols() >> i) & 1) && entry.open->symbols[i].dim < 0)
      ++history_of(point, entry.open->symbols[i].path, entry.open->symbols[i].dim).misses;
  if (relation.a->op != SizeOp::kSymbol || relation.b->op != SizeOp::kSymbol) return text;
  const OpenSize& size = entry.open->symbols[static_cast<size_t>(relation.a->value)];
  if (size.guessed) history_of(point, size.path, size.dim).distinct = true;
  return text;
}

}  // namespace

std::string note_sizes(EntryPoint& point, const Slots& now, PyObject** registers) {
  std::string text;
  const EntryBase& entry = *point.entries.front();
  if (point.last_failure == kPrepareStep) return ++point.refused_sizes, text;
  if (point.last_failure >= kRelationStep)
    return note_relation(point, entry.open->relations[point.last_failure - kRelationStep], now,
                         registers);
  std::vector<ChangedSize> changed;
  if (entry.guards.changes(now, registers, &changed))
    for (const ChangedSize& size : changed) ++history_of(point, size.source, size.dim).misses;
  for (const ChangedSize& size : changed)
    text += fmt::format("{}{}{} is {}", text.empty() ? "" : ", ", size.source,
                        size.dim < 0 ? "" : fmt::format(".shape[{}]", size.dim), size.now);
  return text;
}

void close_sizes(EntryPoint& point, const OpenSizes& open) {
  for (int i = 0; i < open.count(); ++i)
    for (SizeHistory& known : point.sizes)
      if (((open.fixed >> i) & 1) && known.dim == open.symbols[i].dim &&
          known.source == open.symbols[i].path)
        known.closed = true;
}

}  // namespace msjit
