// The compiled regions of an entry with open sizes, one for each set of sizes that calls have had.
// Such a region holds what depends on its sizes, as numbers: shapes, strides, offsets. It shares
// its steps and machine code with the others, and keeps no graph. The first region is made at once,
// the others on the compile thread. Until one is ready the interpreter serves the calls with its
// sizes, so new sizes cost no more than running op by op. Each region has its own trial against the
// interpreter (trial.h), because other sizes take other times.
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

  // Finds or makes the region for `sizes`. `key` holds those of them that the graph depends on.
  // kLater: there is none yet. kRefused: the trace gives no graph for these sizes; `error` says
  // why.
  Ready find(const std::shared_ptr<const ShapeTrace>& trace, std::vector<int64_t> key,
             std::span<const int64_t> sizes, std::shared_ptr<RegionFunction>* region,
             std::string* error);
  size_t size() const { return known_.size(); }
  // These three concern the trial of the region that was found last.
  Trial::Turn next_turn() {
    return current_ ? current_->trial.turn(++current_->hits) : Trial::Turn::kNone;
  }
  double entry_us() const { return current_ ? current_->trial.entry_us() : 0; }
  void entry_took(double us);
  // True: the region has lost. The interpreter serves its sizes from now on.
  bool interpreter_took(double us);
  // True: several regions have been tried, and none has won.
  bool all_lost() const { return lost_ >= kManyLost && won_ == 0; }
  int lost() const { return lost_; }
  double compile_ms() const;
  int64_t code_bytes() const { return bytes_; }

 private:
  static constexpr int kManyLost = 4;
  static constexpr int64_t kFirstTrial = 16;  // calls with its sizes before a region is tried
  struct Known {
    std::shared_ptr<RegionFunction> region;
    int64_t last_used = 0;
    int64_t hits = 0;
    Trial trial{kFirstTrial};
    bool lost = false;
    int64_t bytes = 0;  // of the region, when weigh() was last called for it
  };
  struct KeyHash {
    size_t operator()(const std::vector<int64_t>& key) const;
  };
  class Job;
  bool pays_off(const ShapeTrace& trace, const std::vector<int64_t>& key);
  Ready make(const std::shared_ptr<const ShapeTrace>& trace, std::vector<int64_t> key,
             std::span<const int64_t> sizes, std::string* error);
  // Takes over what the compile thread has finished. False: it failed for `key`.
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
  std::vector<std::vector<int64_t>> refused_;  // the latest sizes that were refused
  std::unordered_set<size_t> sightings_;       // hashes of sizes seen once, without a region yet
};

}  // namespace msjit
