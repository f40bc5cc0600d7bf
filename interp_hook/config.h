// Limits and switches of the bytecode JIT; msjit.config and the environment set them.
#pragma once

#include "bytecode/capture.h"

namespace msjit {

struct JitConfig {
  CaptureLimits limits;        // inline depth, unrolling, region size, MSJIT_BREAK_EVERY
  int max_entries_per_pc = 8;  // captures kept at one place of a function
  int idle_steps = 256;  // instructions stepped without a region before CPython gets the frame
  bool strict = false;   // MSJIT_STRICT: internal errors raise
  bool check = false;    // MSJIT_CHECK: regions are compared with the eager kernels
  bool enabled = true;
  int pauses = 0;  // of all threads
};
JitConfig& jit_config();  // reads the environment on first use

// A pause: what this thread runs is not captured, and no graph runs. Pauses nest.
void begin_capture_pause();
void end_capture_pause();  // without one: nothing
bool in_capture_pause();
inline bool captures_here() {
  const JitConfig& config = jit_config();
  return config.enabled && (config.pauses == 0 || !in_capture_pause());
}

}  // namespace msjit
