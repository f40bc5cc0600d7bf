#include "interp_hook/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "interp_hook/entry.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {
namespace {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <class Items, class F>
std::string list(const Items& items, F text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += text(item);
  }
  return out + "]";
}

const Entry& entry_of(const std::shared_ptr<EntryBase>& base) {
  return static_cast<const Entry&>(*base);
}

struct Region {
  int pc, line, ops = 0, guards = 0, entries = 0, tier = 0;
  int64_t hits = 0, misses = 0;
  double compile_ms = 0;
  std::vector<std::string> open;  // sizes that some entry leaves open
  size_t graphs = 0;              // planned, one for each set of these sizes
};

std::vector<Region> regions_of(const CodeState& state) {
  std::vector<Region> regions;
  for (const auto& [pc, point] : state.points) {
    if (point.entries.empty()) continue;
    Region region{pc < 0 ? ~pc : pc, point.line};
    region.hits = point.hits;
    for (const auto& base : point.entries) {
      const Entry& entry = entry_of(base);
      region.ops = std::max(region.ops, entry.num_ops);
      const int relations = entry.open ? static_cast<int>(entry.open->relations.size()) : 0;
      region.guards = std::max(region.guards, entry.guards.guard_count() + relations);
      region.hits += entry.hits;
      region.compile_ms += entry.compile_ms();
      region.tier = std::max(region.tier, entry.region->executable().tier());
      ++region.entries;
      region.graphs += std::max<size_t>(entry.regions.size(), 1);
      for (int i = 0; entry.open && i < entry.open->count(); ++i) {
        const std::string& name = entry.open->names[i];
        const bool listed =
            std::find(region.open.begin(), region.open.end(), name) != region.open.end();
        if (!listed && !((entry.open->fixed >> i) & 1)) region.open.push_back(name);
      }
    }
    region.misses = region.entries - 1;
    regions.push_back(region);
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.pc < b.pc; });
  return regions;
}

std::string region_json(const Region& r) {
  return fmt::format(
      "{{\"pc\": {}, \"line\": {}, \"ops\": {}, \"guards\": {}, \"entries\": {}, \"hits\": {}, "
      "\"misses\": {}, "
      "\"compile_ms\": {:.3f}, \"tier\": {}, \"open\": {}, \"graphs\": {}}}",
      r.pc, r.line, r.ops, r.guards, r.entries, r.hits, r.misses, r.compile_ms, r.tier,
      list(r.open, quote), r.graphs);
}

std::string break_json(const BreakRecord& b) {
  return fmt::format(
      "{{\"line\": {}, \"reason\": {}, \"detail\": {}, \"count\": {}, \"cure\": {}}}", b.line,
      quote(b.reason), quote(b.detail), b.count, quote(break_cure_of(b.reason, false)));
}

std::string recompile_json(const RecompileRecord& r) {
  return fmt::format("{{\"guard\": {}, \"source\": {}, \"count\": {}, \"now\": {}}}",
                     quote(r.guard), quote(r.source), r.count, quote(r.now));
}

std::string function_json(const CodeState& state) {
  return fmt::format(
      "{{\"code\": {}, \"name\": {}, \"file\": {}, \"line\": {}, \"calls\": {}, \"regions\": {}, "
      "\"breaks\": {}, \"recompiles\": {}}}",
      reinterpret_cast<uintptr_t>(&state), quote(state.name), quote(state.file), state.line,
      state.calls, list(regions_of(state), region_json), list(state.breaks, break_json),
      list(state.recompiles, recompile_json));
}

}  // namespace

std::string explain_functions_json() {
  std::vector<const CodeState*> met;
  for (const CodeState* state : all_code_states())
    if (state->calls > 0) met.push_back(state);
  return list(met, [](const CodeState* state) { return function_json(*state); });
}

std::string explain_totals_json() {
  const CodeTotals totals = code_totals();
  return fmt::format(
      "{{\"calls\": {}, \"captured_calls\": {}, \"eager_ops\": {}, \"graph_ops\": {}, \"breaks\": "
      "{}, "
      "\"recompiles\": {}, \"compile_ms\": {:.3f}, \"pool_bytes\": {}}}",
      totals.calls, totals.captured_calls, eager_op_count(), graph_op_count, totals.breaks,
      totals.recompiles, totals.compile_ms, pool_bytes());
}

namespace {

// "not: raise ValueError raises, line 14": what the program would do otherwise.
std::vector<std::string> assumptions_of(const Entry& entry) {
  std::vector<std::string> all;
  for (const Assumption& assumed : entry.assumptions) all.push_back("not: " + assumed.otherwise);
  return all;
}

}  // namespace

std::string explain_details_json(PyCodeObject* code) {
  const CodeState* state = find_code_state(code);
  if (!state) return "[]";
  std::vector<const Entry*> entries;
  for (const auto& [pc, point] : state->points)
    for (const auto& base : point.entries) entries.push_back(&entry_of(base));
  return list(entries, [](const Entry* entry) {
    const auto text = entry->region->optimised_graph_text();
    return fmt::format(
        "{{\"line\": {}, \"guards\": {}, \"assumes\": {}, \"graph\": {}, \"plan\": {}, "
        "\"break\": {}}}",
        entry->line, list(entry->describe_guards(), quote), list(assumptions_of(*entry), quote),
        quote(text.ok() ? text.value() : text.error().message),
        quote(entry->region->executable().describe()),
        entry->returns ? "null" : quote(entry->break_detail));
  });
}

}  // namespace msjit
