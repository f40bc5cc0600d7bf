// The graph pool: per code object, per instruction offset, the entries captured there, most
// recently used first. CodeStates hang on their code objects (co_extra) and die with them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "guards/guard_set.h"

namespace msjit {

struct EntryBase : std::enable_shared_from_this<EntryBase> {
  GuardSet guards;
  int64_t hits = 0;
  int64_t misses = 0;
  virtual ~EntryBase() = default;
};

// A place in a function where regions may start.
struct EntryPoint {
  std::vector<std::shared_ptr<EntryBase>> entries;
  int captures = 0;   // attempts, for the limit
  bool cold = false;  // nothing worth capturing starts here
  int skip_to = -1;   // cold: the instruction the useless region ended at
  int line = 0;

  // The first entry whose guards hold, moved to the front; null when none does. `registers` needs
  // room for every entry's registers (register_count).
  const std::shared_ptr<EntryBase>* find(const Slots& slots, PyObject** registers);
  int register_count = 0;  // the largest of the entries'
  int last_failure = -1;   // the step that failed in the most recent entry, when every entry missed
  void add(std::shared_ptr<EntryBase> entry);
};

struct BreakRecord {
  int line;
  const char* reason;
  std::string detail;
  int64_t count;
};
struct RecompileRecord {
  std::string guard;
  int64_t count;
};

// Everything known of one code object that was met by the JIT.
struct CodeState {
  PyCodeObject* code = nullptr;                // owns this state
  std::unordered_map<int, EntryPoint> points;  // by canonical index
  EntryPoint* start = nullptr;  // the point at the function's first instruction; stable address
  int64_t calls = 0;
  int64_t captured_calls = 0;  // calls in which some region ran
  bool inert = false;          // touches no tensor: left to the interpreter for good
  bool full_graph = false;     // a break is an error
  std::string name, file;
  int line = 0;
  std::vector<BreakRecord> breaks;
  std::vector<RecompileRecord> recompiles;

  EntryPoint& point(int index);
  void count_break(int line, const char* reason, const std::string& detail);
  void count_recompile(const std::string& guard);
};

// The state of `code`, made on first use; null (no exception set) when none can be attached.
CodeState* code_state(PyCodeObject* code);
CodeState* find_code_state(PyCodeObject* code);  // null when there is none yet
const std::vector<CodeState*>& all_code_states();
// Drops every entry and every count.
void reset_code_states();

}  // namespace msjit
