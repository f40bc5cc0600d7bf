// One fused kernel on data of its own: by the host's code and as a GPU would run it, compared.
#pragma once

#include <gtest/gtest.h>

#include <unordered_set>

#include "codegen/kernel_spec.h"

namespace msjit::testing {

// The specs that are asked for while it lives, each once.
class SpecCollector {
 public:
  SpecCollector();
  ~SpecCollector();
  std::vector<KernelSpec> take();

 private:
  std::unordered_set<size_t> hashes_;
  std::vector<KernelSpec> specs_;
};

// Runs the kernel that `spec` becomes for a GPU against the host's, on random operands; an open one
// for sizes drawn at random. Without reductions the same bits, else within a tolerance.
::testing::AssertionResult agrees_with_host(const KernelSpec& spec, uint32_t seed);

}  // namespace msjit::testing
