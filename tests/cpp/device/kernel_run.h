// Runs one fused kernel on random data, by the host's code and as a GPU would, and compares.
#pragma once

#include <gtest/gtest.h>

#include <unordered_set>

#include "codegen/kernel_spec.h"

namespace msjit::testing {

// Collects the specs of kernels that are requested while it lives, each once.
class SpecCollector {
 public:
  SpecCollector();
  ~SpecCollector();
  std::vector<KernelSpec> take();

 private:
  std::unordered_set<size_t> hashes_;
  std::vector<KernelSpec> specs_;
};

// Compares the kernel of `spec` for a GPU with that for the host, on random operands. A spec with
// open sizes gets random ones. Kernels without reductions must give the same bits, others results
// within a tolerance.
::testing::AssertionResult agrees_with_host(const KernelSpec& spec, uint32_t seed);

}  // namespace msjit::testing
