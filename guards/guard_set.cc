#include "guards/guard_set.h"

#include <fmt/core.h>

#include <algorithm>

#include "guards/memo.h"
#include "guards/open_sizes.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

GuardSet::GuardSet() = default;
GuardSet::GuardSet(GuardSet&&) noexcept = default;
GuardSet& GuardSet::operator=(GuardSet&&) noexcept = default;
GuardSet::~GuardSet() = default;

int GuardSet::check(const Slots& slots, PyObject** registers) const {
  if (memo_) {
    const int failed = memo_->check(*this, slots, registers);
    if (failed != Memo::kStale) return failed;
  }
  const int failed = check_all(slots, registers);
  if (failed < 0) Memo::update(*this, slots, registers, &memo_);
  return failed;
}

bool GuardSet::still_holds(const Slots& slots, PyObject* const* registers) const {
  std::vector<PyObject*> now(registers, registers + register_count());
  const auto same = [&](SourceId id) { return id < 0 || now[id] == registers[id]; };
  // Without the memo: a memo that holds here would count as one that serves the calls.
  return check_all(slots, now.data()) < 0 && std::all_of(used_.begin(), used_.end(), same);
}

bool GuardSet::run_step(const GuardStep& step, const Slots& slots, PyObject** registers) const {
  if (step.kind) return step.kind->check(step, registers[step.target], registers);
  const Source& source = sources_[step.target];
  PyObject* base = source.base >= 0 ? registers[source.base] : nullptr;
  PyObject* object = source.kind->find(source, base, slots);
  registers[step.target] = object;
  return object != nullptr;
}

int GuardSet::check_all(const Slots& slots, PyObject** registers) const {
  const int count = static_cast<int>(steps_.size());
  for (int i = 0; i < count; ++i)
    if (!run_step(steps_[i], slots, registers)) return i;
  return -1;
}

bool GuardSet::changes(const Slots& slots, PyObject** registers,
                       std::vector<ChangedSize>* out) const {
  for (const GuardStep& step : steps_) {
    if (run_step(step, slots, registers)) continue;
    if (!step.kind || !step.kind->changes) return false;
    if (!step.kind->changes(step, registers[step.target], sources_[step.target].text, out))
      return false;
  }
  return true;
}

void GuardSet::weaken(EntryBase& entry) {
  for (Source& source : sources_) source.key.weaken(entry);
  for (GuardStep& step : steps_) step.object.weaken(entry);
}

int64_t GuardSet::bytes() const {
  return static_cast<int64_t>(sizeof *this + sources_.size() * (sizeof(Source) + 32) +
                              steps_.size() * sizeof(GuardStep)) +
         (memo_ ? memo_->bytes() : 0);
}

int GuardSet::guard_count() const {
  int n = 0;
  for (const GuardStep& step : steps_) n += step.kind != nullptr;
  return n;
}

std::string GuardSet::describe(int index) const {
  const GuardStep& step = steps_[index];
  const std::string& source = sources_[step.target].text;
  if (!step.kind) return "exists(" + source + ")";
  return step.kind->describe(step, source, step.other >= 0 ? sources_[step.other].text : "");
}

std::string GuardSet::path(int index) const { return sources_[steps_[index].target].text; }

std::vector<std::string> GuardSet::describe_all() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].kind) lines.push_back(describe(static_cast<int>(i)));
  return lines;
}

namespace {

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

}  // namespace

SourceId GuardBuilder::add_source(const LoadKind& kind, SourceId base, int index, Pin key,
                                  std::string text) {
  const size_t hash = mix(mix(mix(reinterpret_cast<size_t>(&kind), static_cast<size_t>(base)),
                              static_cast<size_t>(index)),
                          reinterpret_cast<size_t>(key.address()));
  auto [it, last] = known_sources_.equal_range(hash);
  for (; it != last; ++it) {
    const Source& known = set_.sources_[it->second];
    if (known.kind == &kind && known.base == base && known.index == index && known.key == key)
      return it->second;
  }
  Source source{&kind, base, index, std::move(key), 0, std::move(text)};
  // The key is a name, or one that Heap::pin_key has admitted: hashing it runs no Python code.
  if (source.key && &kind != &load::constant)
    source.hash = host::call(host::checked, PyObject_Hash, source.key.address());
  const SourceId id = static_cast<SourceId>(set_.sources_.size());
  known_sources_.emplace(hash, id);
  set_.sources_.push_back(std::move(source));
  GuardStep load;
  load.target = id;
  set_.steps_.push_back(std::move(load));
  return id;
}

void GuardBuilder::add(const GuardKind& kind, SourceId source, GuardPayload payload) {
  const size_t hash = mix(
      mix(reinterpret_cast<size_t>(&kind), static_cast<size_t>(source)),
      mix(static_cast<size_t>(payload.number), reinterpret_cast<size_t>(payload.object.address())));
  auto [it, last] = known_guards_.equal_range(hash);
  for (; it != last; ++it) {
    const GuardStep& known = set_.steps_[it->second];
    if (known.kind == &kind && known.target == source && known.other == payload.other &&
        known.number == payload.number && known.version == payload.version &&
        known.object == payload.object)
      return;
  }
  known_guards_.emplace(hash, static_cast<int32_t>(set_.steps_.size()));
  set_.steps_.push_back({std::move(payload), &kind, source});
}

GuardSet GuardBuilder::finish(std::vector<SourceId> used) {
  std::vector<bool> live(set_.sources_.size(), false);
  for (SourceId id : used)
    if (id >= 0) live[id] = true;
  for (const GuardStep& step : set_.steps_) {
    if (!step.kind) {
      if (set_.sources_[step.target].kind->can_fail) live[step.target] = true;
      continue;
    }
    live[step.target] = true;
    if (step.other >= 0) live[step.other] = true;
  }
  for (size_t i = set_.sources_.size(); i-- > 0;)  // bases have smaller numbers
    if (live[i] && set_.sources_[i].base >= 0) live[set_.sources_[i].base] = true;
  std::vector<GuardStep> kept;
  for (GuardStep& step : set_.steps_)
    if (step.kind || live[step.target]) kept.push_back(std::move(step));
  set_.steps_ = std::move(kept);
  set_.used_ = std::move(used);
  return std::move(set_);
}

}  // namespace msjit
