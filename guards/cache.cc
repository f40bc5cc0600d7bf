#include "guards/cache.h"

#include <fmt/core.h>

#include <algorithm>

#include "guards/memo.h"
#include "guards/py/compat.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "guards/py/text.h"
#include "kernels/core/immortal.h"
#include "kernels/core/profile.h"

namespace msjit {
namespace {

std::vector<CodeState*>& states() {
  static auto* const all = new std::vector<CodeState*>;
  return *all;
}

CodeTotals departed;  // counts of functions and entries that are gone

void count(const CodeState& state, CodeTotals* totals) {
  totals->calls += state.calls;
  totals->captured_calls += state.captured_calls;
  for (const BreakRecord& record : state.breaks) totals->breaks += record.count;
  for (const RecompileRecord& record : state.recompiles) totals->recompiles += record.count;
}

constexpr int kManyDeaths = 64;

// By the hash of their text: how many codes were called once at most before they died.
std::unordered_map<size_t, int>& early_deaths() {
  static auto* const all = new std::unordered_map<size_t, int>;
  return *all;
}

void note_death(const CodeState& state) {
  constexpr size_t kMaxTexts = 1024;
  if (state.text == 0 || state.calls > 1) return;
  if (early_deaths().size() >= kMaxTexts) early_deaths().clear();
  ++early_deaths()[state.text];
}

void forget(void* extra) {
  auto* state = static_cast<CodeState*>(extra);
  if (!state) return;  // CPython calls this for every code object
  count(*state, &departed);
  note_death(*state);
  auto& all = states();
  all.erase(std::remove(all.begin(), all.end(), state), all.end());
  delete state;
}

// A hash of a code's file, name, line and instructions. None of this runs Python code.
size_t text_hash(PyCodeObject* code) {
  size_t hash = static_cast<size_t>(code->co_firstlineno);
  for (const char* name : {"co_filename", "co_name", "co_names", "co_code"}) {
    const Ref part = Ref::steal(host::call(host::of_static, PyObject_GetAttrString,
                                           reinterpret_cast<PyObject*>(code), name));
    const Py_hash_t own = part ? host::call(host::values, PyObject_Hash, part.get()) : -1;
    if (own == -1) PyErr_Clear();
    hash = hash * 1000003 + static_cast<size_t>(own);
  }
  return hash;
}

Py_ssize_t extra_index() {
  static const Py_ssize_t index = compat::request_code_extra(forget);
  return index;
}

}  // namespace

bool is_short_lived(CodeState& state) {
  if (state.calls > 1) return false;
  if (state.text == 0) state.text = std::max<size_t>(text_hash(state.code), 1);
  const auto found = early_deaths().find(state.text);
  if (found == early_deaths().end()) return false;
  if (state.calls == 0) return found->second >= kManyDeaths;
  early_deaths().erase(found);  // this one lives on
  return false;
}

int RegionRun::running_ = 0;
bool RegionRun::left_work_ = false;

namespace {

int64_t pool_clock = 0;
int64_t evicted_count = 0;

std::vector<std::shared_ptr<EntryBase>>& graveyard() {
  static constinit Immortal<std::vector<std::shared_ptr<EntryBase>>> buried;
  return buried.value;
}

// The entries of the pool, least recently used first.
std::vector<EntryBase*> by_age() {
  std::vector<EntryBase*> all;
  for (const CodeState* state : states())
    for (const auto& [index, point] : state->points)
      for (const auto& entry : point.entries) all.push_back(entry.get());
  std::sort(all.begin(), all.end(),
            [](const EntryBase* a, const EntryBase* b) { return a->last_used < b->last_used; });
  return all;
}

// Evicts the entries used least recently until the pool fits; `fresh` stays in any case.
void make_room(const EntryBase& fresh) {
  int64_t bytes = pool_bytes();
  if (bytes <= pool_limits().bytes) return;
  for (EntryBase* entry : by_age()) {
    if (bytes <= pool_limits().bytes) break;
    if (entry == &fresh) continue;
    bytes -= entry->bytes();
    ++evicted_count;
    bury(*entry);
  }
  sweep_graveyard();
}

}  // namespace

PoolLimits& pool_limits() {
  static PoolLimits limits;
  return limits;
}

int64_t pool_bytes() {
  int64_t bytes = 0;
  for (const CodeState* state : states())
    for (const auto& [index, point] : state->points)
      for (const auto& entry : point.entries) bytes += entry->bytes();
  return bytes;
}

int64_t pool_evicted() { return evicted_count; }

EntryBase::~EntryBase() { unwatch(*this); }

int EntryBase::bind(PyObject* const* registers) {
  int64_t sizes[kMaxSizeSymbols];
  open->load(registers, sizes);
  bool ready = bound.size() == open->symbols.size();
  for (size_t i = 0; ready && i < bound.size(); ++i)
    ready = bound[i] == sizes[i] || !((open->key >> i) & 1);
  const int failed = open->failing(sizes, ready);
  if (failed >= 0) return kRelationStep + failed;
  is_bound = true;
  if (ready) return -1;
  const Ready prepared = prepare(sizes);
  if (prepared == Ready::kRefused) return kPrepareStep;
  is_bound = prepared == Ready::kYes;
  if (is_bound) bound.assign(sizes, sizes + open->symbols.size());
  return -1;
}

std::string EntryBase::describe_step(int step) const {
  if (step == kPrepareStep) return error;
  if (step >= kRelationStep) return open->relations[step - kRelationStep].text(open->names);
  return guards.describe(step);
}

std::string EntryBase::step_path(int step) const {
  if (step < kRelationStep) return guards.path(step);
  return open->names.empty() ? "" : open->symbols[0].path;
}

std::vector<std::string> EntryBase::describe_guards() const {
  std::vector<std::string> lines = guards.describe_all();
  if (open)
    for (std::string& line : open->describe_all()) lines.push_back(std::move(line));
  return lines;
}

void bury(EntryBase& entry) {
  EntryPoint* point = entry.point;
  if (!point) return;
  auto& entries = point->entries;
  const auto it = std::find_if(entries.begin(), entries.end(),
                               [&](const auto& known) { return known.get() == &entry; });
  if (it != entries.end()) graveyard().push_back(*it);  // first, as it may throw
  entry.point = nullptr;
  point->hits += entry.hits;
  departed.compile_ms += entry.compile_ms();
  if (it == entries.end()) return;
  entries.erase(it);
  RegionRun::leave_work();
}

void sweep_graveyard() {
  if (RegionRun::running_ > 0) return;
  const auto dead = std::exchange(graveyard(), {});  // destroyed last: may run Python code
}

void RegionRun::finish_work() {
  const KeepPyError pending;
  left_work_ = running_ > 0 && !graveyard().empty();
  Memo::settle_all();
  sweep_graveyard();
}

EntryPoint::~EntryPoint() {
  for (const auto& entry : entries) {
    entry->point = nullptr;
    departed.compile_ms += entry->compile_ms();
  }
}

const std::shared_ptr<EntryBase>* EntryPoint::find(const Slots& slots, PyObject** registers) {
  for (size_t i = 0; i < entries.size(); ++i) {
    EntryBase* entry = entries[i].get();
    int failed = entry->guards.check(slots, registers);
    if (failed < 0 && entry->open) [[unlikely]]
      failed = entry->bind(registers);
    if (failed < 0) {
      if (i > 0) {
        entries[0]->release_memory();
        std::rotate(entries.begin(), entries.begin() + i, entries.begin() + i + 1);
      }
      ++entry->hits;
      entry->last_used = ++pool_clock;
      return &entries[0];
    }
    if (i == 0) last_failure = failed;
  }
  return nullptr;
}

void EntryPoint::add(std::shared_ptr<EntryBase> entry) {
  register_count = std::max(register_count, entry->guards.register_count());
  entry->point = this;
  returns |= entry->returns;
  entry->last_used = ++pool_clock;
  const EntryBase& fresh = *entry;
  if (!entries.empty()) entries[0]->release_memory();
  entries.insert(entries.begin(), std::move(entry));
  make_room(fresh);
}

EntryPoint& CodeState::point(int index) {
  return points[index];  // element addresses are stable
}

void CodeState::count_break(int at, const char* reason, const std::string& detail) {
  if (profile::on())
    profile::mark(profile::Kind::kBreak, fmt::format("{}, line {}: {}", name, at, detail));
  for (BreakRecord& record : breaks) {
    if (record.line == at && record.reason == reason && record.detail == detail) {
      ++record.count;
      return;
    }
  }
  breaks.push_back({at, reason, detail, 1});
}

void CodeState::count_recompile(const std::string& guard, const std::string& source,
                                std::string now) {
  for (RecompileRecord& record : recompiles) {
    if (record.guard == guard) {
      ++record.count;
      record.now = std::move(now);
      return;
    }
  }
  recompiles.push_back({guard, source, std::move(now), 1});
}

CodeState* find_code_state(PyCodeObject* code) {
  return static_cast<CodeState*>(
      compat::code_extra(reinterpret_cast<PyObject*>(code), extra_index()));
}

bool reserve_code_states() { return extra_index() >= 0; }

CodeState* code_state(PyCodeObject* code) {
  if (CodeState* known = find_code_state(code)) return known;
  auto state = std::make_unique<CodeState>();
  state->code = code;
  auto text = [](PyObject* object) -> std::string {
    const char* utf8 = utf8_text(object);
    if (!utf8) PyErr_Clear();
    return utf8 ? utf8 : "?";
  };
  state->name = text(code->co_name);
  state->file = text(code->co_filename);
  state->line = code->co_firstlineno;
  if (!compat::set_code_extra(reinterpret_cast<PyObject*>(code), extra_index(), state.get())) {
    PyErr_Clear();
    return nullptr;
  }
  states().push_back(state.get());
  return state.release();
}

const std::vector<CodeState*>& all_code_states() { return states(); }

void drop_entries() {
  for (CodeState* state : states()) {
    for (auto& [index, point] : state->points) {
      while (!point.entries.empty()) bury(*point.entries.back());  // one may be running
      point = EntryPoint();  // emptied in place: a capture may be running there
    }
    state->start = nullptr;
    state->inert = false;
  }
  sweep_graveyard();
}

void reset_code_states() {
  drop_entries();
  for (CodeState* state : states()) {
    state->calls = state->captured_calls = 0;
    state->trial = CallTrial();
    state->breaks.clear();
    state->recompiles.clear();
  }
  early_deaths().clear();
  departed = {};
}

CodeTotals code_totals() {
  CodeTotals totals = departed;
  for (const CodeState* state : states()) {
    count(*state, &totals);
    for (const auto& [index, point] : state->points)
      for (const auto& entry : point.entries) totals.compile_ms += entry->compile_ms();
  }
  return totals;
}

}  // namespace msjit
