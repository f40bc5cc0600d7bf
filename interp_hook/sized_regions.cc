#include "interp_hook/sized_regions.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "codegen/compile_queue.h"
#include "graph/pipeline.h"

namespace msjit {
namespace {

constexpr size_t kMaxRegions = 512;  // kept for the sizes one entry has met
// In two cases sizes get a region only when they come a second time: there are kManyRegions
// already, or the trace has fewer than kFewSteps steps, which take less time than waking the
// compile thread.
constexpr size_t kManyRegions = 16;
constexpr size_t kFewSteps = 24;
constexpr size_t kMaxSightings = 4096;
constexpr size_t kMaxRefused = 8;
constexpr size_t kMaxJobs = 16;

Result<std::shared_ptr<RegionFunction>> make_region(const std::shared_ptr<const ShapeTrace>& trace,
                                                    std::span<const int64_t> sizes,
                                                    const std::shared_ptr<RegionFunction>& like) {
  return RegionFunction::create_sized(
      [trace, sizes = std::vector(sizes.begin(), sizes.end())] {
        return build_graph(*trace, sizes);
      },
      like);
}

}  // namespace

class SizedRegions::Job final : public CompileJob {
 public:
  Job(std::shared_ptr<const ShapeTrace> trace, std::vector<int64_t> key,
      std::span<const int64_t> sizes, std::shared_ptr<RegionFunction> like)
      : key(std::move(key)),
        trace_(std::move(trace)),
        sizes_(sizes.begin(), sizes.end()),
        like_(std::move(like)) {}
  void run() override {
    auto made = make_region(trace_, sizes_, like_);
    like_ = nullptr;
    if (made.ok())
      region = made.take();
    else
      error = made.error().message;
    done.store(true, std::memory_order_release);
  }
  void drop() override {}

  const std::vector<int64_t> key;
  std::shared_ptr<RegionFunction> region;  // these two are written once, before `done`
  std::string error;
  std::atomic<bool> done{false};

 private:
  const std::shared_ptr<const ShapeTrace> trace_;
  const std::vector<int64_t> sizes_;
  std::shared_ptr<RegionFunction> like_;  // until run
};

size_t SizedRegions::KeyHash::operator()(const std::vector<int64_t>& key) const {
  size_t hash = 0;
  for (int64_t size : key) hash = hash * 0x9e3779b97f4a7c15ull + static_cast<size_t>(size);
  return hash;
}

// Whether to make a region for sizes that have none.
bool SizedRegions::pays_off(const ShapeTrace& trace, const std::vector<int64_t>& key) {
  const bool at_once = known_.empty() || compile_synchronously() || pipeline_is_watched();
  const bool few = trace.steps.size() < kFewSteps && !at_once;
  if (known_.size() < kManyRegions && !few) return true;
  if (sightings_.size() == kMaxSightings) sightings_.clear();
  return !sightings_.insert(KeyHash()(key)).second;
}

void SizedRegions::entry_took(double us) {
  if (current_) current_->trial.entry_took(us);
}

bool SizedRegions::interpreter_took(double us) {
  if (!current_) return false;
  current_->lost = current_->trial.interpreter_took(us, current_->hits);
  lost_ += current_->lost;
  won_ += current_->trial.is_over();
  return current_->lost;
}

void SizedRegions::add(std::vector<int64_t> key, std::shared_ptr<RegionFunction> region) {
  // The pool's byte budget holds here too. This entry drops regions of its own to keep it.
  while (known_.size() == kMaxRegions || (!known_.empty() && pool_bytes() > pool_limits().bytes))
    drop_oldest();
  Known& made = known_[std::move(key)];
  made.region = std::move(region);
  made.last_used = clock_;
  weigh(&made);
}

void SizedRegions::drop_oldest() {
  const auto oldest = std::ranges::min_element(
      known_, {}, [](const auto& known) { return known.second.last_used; });
  if (current_ == &oldest->second) current_ = nullptr;
  bytes_ -= oldest->second.bytes;
  known_.erase(oldest);
}

// A region grows while it is in use, because kernels and gradients are compiled later. Its bytes
// are therefore counted again when another region takes its turn. That avoids a sum over hundreds
// of regions each time one is added.
void SizedRegions::weigh(Known* known) {
  const int64_t bytes = known->region->code_bytes();
  bytes_ += bytes - std::exchange(known->bytes, bytes);
}

void SizedRegions::refuse(std::vector<int64_t> key) {
  if (refused_.size() == kMaxRefused) refused_.erase(refused_.begin());
  refused_.push_back(std::move(key));
}

bool SizedRegions::collect(const std::vector<int64_t>& key, std::string* error) {
  bool good = true;
  std::erase_if(jobs_, [&](const std::shared_ptr<Job>& job) {
    if (!job->done.load(std::memory_order_acquire)) return false;
    if (job->region) {
      add(job->key, job->region);
    } else {
      refuse(job->key);
      if (job->key == key) *error = job->error, good = false;
    }
    return true;
  });
  return good;
}

SizedRegions::Ready SizedRegions::make(const std::shared_ptr<const ShapeTrace>& trace,
                                       std::vector<int64_t> key, std::span<const int64_t> sizes,
                                       std::string* error) {
  const bool first = known_.empty() && jobs_.empty();  // the sizes of the capture itself
  if (first || compile_synchronously() || pipeline_is_watched()) {
    auto made = make_region(trace, sizes, current_ ? current_->region : nullptr);
    if (made.ok()) return add(std::move(key), made.take()), Ready::kYes;
    *error = made.error().message;
    return refuse(std::move(key)), Ready::kRefused;
  }
  const bool under_way =
      std::ranges::any_of(jobs_, [&](const auto& job) { return job->key == key; });
  if (!under_way && jobs_.size() < kMaxJobs) {
    jobs_.push_back(
        std::make_shared<Job>(trace, std::move(key), sizes, current_ ? current_->region : nullptr));
    compile_queue_submit(jobs_.back());
  }
  return Ready::kLater;
}

SizedRegions::Ready SizedRegions::find(const std::shared_ptr<const ShapeTrace>& trace,
                                       std::vector<int64_t> key, std::span<const int64_t> sizes,
                                       std::shared_ptr<RegionFunction>* region,
                                       std::string* error) {
  auto found = known_.find(key);
  if (found == known_.end()) {
    if (!collect(key, error)) return Ready::kRefused;
    if (std::ranges::find(refused_, key) != refused_.end()) return Ready::kRefused;
    found = known_.find(key);
  }
  if (found == known_.end()) {
    if (!pays_off(*trace, key)) return Ready::kLater;
    const Ready ready = make(trace, key, sizes, error);
    if (ready != Ready::kYes) return ready;
    found = known_.find(key);
  }
  Known* const known = &found->second;
  if (known->lost) return Ready::kLater;
  if (current_ && current_ != known) {
    current_->region->release_memory();
    weigh(current_);
  }
  current_ = known;
  known->last_used = ++clock_;
  *region = known->region;
  return Ready::kYes;
}

double SizedRegions::compile_ms() const {
  double ms = 0;
  for (const auto& [key, known] : known_) ms += known.region->compile_ms();
  return ms;
}

}  // namespace msjit
