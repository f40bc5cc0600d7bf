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
};
JitConfig& jit_config();  // reads the environment on first use

}  // namespace msjit
