// The compiled regions of an entry with open sizes: one for each set of sizes met, since plans hold
// sizes as numbers (their kernels do not). All but the first are made on the compile thread, and
// the interpreter serves the calls until then: a size never met before costs what it costs op by
// op. Each is tried against the interpreter by itself, as calls of other sizes take other times
// (trial.h).
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "codegen/region.h"
#include "graph/shape_trace.h"
#include "guards/cache.h"
#include "interp_hook/trial.h"

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
  // Of the trial of the region found last.
  Trial::Turn next_turn() {
    return current_ ? current_->trial.turn(++current_->hits) : Trial::Turn::kNone;
  }
  double entry_us() const { return current_ ? current_->trial.entry_us() : 0; }
  void entry_took(double us);
  // True: the region has lost, and the interpreter serves its sizes from now on.
  bool interpreter_took(double us);
  // Regions of several sizes have been tried, and all of them have lost.
  bool all_lost() const { return lost_ >= kManyLost && won_ == 0; }
  int lost() const { return lost_; }
  double compile_ms() const;
  int64_t code_bytes() const { return bytes_; }

 private:
  static constexpr int kManyLost = 4;
  static constexpr int64_t kFirstTrial = 16;  // in how many calls of its sizes a region is tried
  struct Known {
    std::shared_ptr<RegionFunction> region;
    int64_t last_used = 0;
    int64_t hits = 0;
    Trial trial{kFirstTrial};
    bool lost = false;
    int64_t bytes = 0;  // of the region when it was looked at last
  };
  struct KeyHash {
    size_t operator()(const std::vector<int64_t>& key) const;
  };
  class Job;
  bool pays_off(const ShapeTrace& trace, const std::vector<int64_t>& key);
  Ready make(const std::shared_ptr<const ShapeTrace>& trace, std::vector<int64_t> key,
             std::span<const int64_t> sizes, std::string* error);
  // Takes over what the compile thread has finished; false where it failed for `key`.
  bool collect(const std::vector<int64_t>& key, std::string* error);
  void add(std::vector<int64_t> key, std::shared_ptr<RegionFunction> region);
  void drop_oldest();
  void weigh(Known* known);
  void refuse(std::vector<int64_t> key);

  std::unordered_map<std::vector<int64_t>, Known, KeyHash> known_;
  Known* current_ = nullptr;  // the one found last
  int64_t clock_ = 0;
  int64_t bytes_ = 0;  // of all that are known
  int lost_ = 0, won_ = 0;
  std::vector<std::shared_ptr<Job>> jobs_;     // under way
  std::vector<std::vector<int64_t>> refused_;  // sizes met lately that the trace is no program for
  std::unordered_set<size_t> sightings_;       // sizes met that have no region yet, by hash
};

}  // namespace msjit
