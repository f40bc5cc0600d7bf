// The events that a profiler asks for: what runs and for how long. While no profiler is on, a place
// that could report an event costs one load.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/op.h"

namespace msjit::profile {

enum class Kind : uint8_t {
  kOp,       // an op run by itself: eager code, or a graph that has no plan yet
  kKernel,   // a step of a compiled graph
  kRegion,   // a compiled graph
  kCapture,  // symbolic execution and the steps after it on the calling thread
  kCompile,  // on the compile thread
  kBreak,    // a region ends before its function; takes no time
};
const char* kind_name(Kind kind);

// What a span does: the bytes that it has to read or write at least, and its arithmetic operations.
struct Work {
  std::string name;
  int64_t bytes = 0, flops = 0;
};

struct Event {
  Kind kind;
  int thread;  // numbers the threads that have reported events
  int64_t begin_ns, duration_ns;
  Work work;
};

extern std::atomic<bool> g_on;
inline bool on() { return g_on.load(std::memory_order_relaxed); }

void start();  // forgets earlier events
struct Events {
  std::vector<Event> events;
  int64_t dropped = 0;  // events beyond the most that are kept
};
Events stop();

void mark(Kind kind, std::string name);

// An event from its construction to the end of the block. Make one only when on() is true.
class Span {
 public:
  Span(Kind kind, Work work);
  ~Span();
  Span(const Span&) = delete;

 private:
  Kind kind_;
  Work work_;
  int64_t begin_;
};

// Of one call of an op.
Work work_of(const OpDef& op, const Attrs& attrs, std::span<const Meta* const> in,
             std::span<const Meta* const> out);

}  // namespace msjit::profile
