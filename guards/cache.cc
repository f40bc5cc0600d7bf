#include "guards/cache.h"

#include <algorithm>

#include "guards/py/compat.h"

namespace msjit {
namespace {

std::vector<CodeState*>& states() {
  static auto* const all = new std::vector<CodeState*>;
  return *all;
}

void forget(void* extra) {
  auto* state = static_cast<CodeState*>(extra);
  auto& all = states();
  all.erase(std::remove(all.begin(), all.end(), state), all.end());
  delete state;
}

Py_ssize_t extra_index() {
  static const Py_ssize_t index = compat::request_code_extra(forget);
  return index;
}

}  // namespace

const std::shared_ptr<EntryBase>* EntryPoint::find(const Slots& slots, PyObject** registers) {
  for (size_t i = 0; i < entries.size(); ++i) {
    EntryBase* entry = entries[i].get();
    const int failed = entry->guards.check(slots, registers);
    if (failed < 0) {
      if (i > 0) std::rotate(entries.begin(), entries.begin() + i, entries.begin() + i + 1);
      ++entry->hits;
      return &entries[0];
    }
    ++entry->misses;
    if (i == 0) last_failure = failed;
  }
  return nullptr;
}

void EntryPoint::add(std::shared_ptr<EntryBase> entry) {
  register_count = std::max(register_count, entry->guards.register_count());
  entries.insert(entries.begin(), std::move(entry));
}

EntryPoint& CodeState::point(int index) {
  return points[index];  // element addresses are stable
}

void CodeState::count_break(int at, const char* reason, const std::string& detail) {
  for (BreakRecord& record : breaks) {
    if (record.line == at && record.reason == reason && record.detail == detail) {
      ++record.count;
      return;
    }
  }
  breaks.push_back({at, reason, detail, 1});
}

void CodeState::count_recompile(const std::string& guard) {
  for (RecompileRecord& record : recompiles) {
    if (record.guard == guard) {
      ++record.count;
      return;
    }
  }
  recompiles.push_back({guard, 1});
}

CodeState* find_code_state(PyCodeObject* code) {
  return static_cast<CodeState*>(
      compat::code_extra(reinterpret_cast<PyObject*>(code), extra_index()));
}

CodeState* code_state(PyCodeObject* code) {
  if (CodeState* known = find_code_state(code)) return known;
  auto state = std::make_unique<CodeState>();
  state->code = code;
  auto text = [](PyObject* object) -> std::string {
    const char* utf8 = PyUnicode_AsUTF8(object);
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

void reset_code_states() {
  for (CodeState* state : states()) {
    state->points.clear();
    state->start = nullptr;
    state->calls = state->captured_calls = 0;
    state->inert = false;
    state->breaks.clear();
    state->recompiles.clear();
  }
}

}  // namespace msjit
