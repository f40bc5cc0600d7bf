// The compiled regions of an entry with open sizes: one for each set of sizes met, since plans hold
// sizes as numbers (their kernels do not). Larger ones are made on the compile thread, and the
// interpreter serves the calls until then.
#pragma once

#include <unordered_map>

#include "codegen/region.h"
#include "graph/shape_trace.h"
#include "guards/cache.h"

namespace msjit {

class SizedRegions {
 public:
  using Ready = EntryBase::Ready;

  // Finds or makes the region for `sizes`, which `key` tells apart from others. kLater: there is
  // none yet; kRefused: the trace is no program for them, `error` says why.
  Ready find(const std::shared_ptr<const ShapeTrace>& trace, std::vector<int64_t> key,
             std::span<const int64_t> sizes, std::shared_ptr<RegionFunction>* region,
             std::string* error);
  size_t size() const { return known_.size(); }
  double compile_ms() const;
  int64_t code_bytes() const;

 private:
  struct Known {
    std::vector<int64_t> key;
    std::shared_ptr<RegionFunction> region;
  };
  class Job;
  bool came_again(const std::vector<int64_t>& key);
  Ready make(const std::shared_ptr<const ShapeTrace>& trace, std::vector<int64_t> key,
             std::span<const int64_t> sizes, std::string* error);
  // Takes over what the compile thread has finished; false where it failed for `key`.
  bool collect(const std::vector<int64_t>& key, std::string* error);
  void add(std::vector<int64_t> key, std::shared_ptr<RegionFunction> region);
  void refuse(std::vector<int64_t> key);

  std::vector<Known> known_;                   // most recently used first
  std::vector<std::shared_ptr<Job>> jobs_;     // under way
  std::vector<std::vector<int64_t>> refused_;  // sizes met lately that the trace is no program for
  std::unordered_map<size_t, int> sightings_;  // of sizes that have no region yet, by hash
};

}  // namespace msjit
