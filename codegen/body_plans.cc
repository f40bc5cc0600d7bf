#include "codegen/body_plans.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "codegen/fusion.h"
#include "graph/pipeline.h"

namespace msjit {
namespace {

// A plan and the sub-graph it was made for, as it was before the passes. A holder of the plan keeps
// both alive.
struct BodyPlan {
  std::shared_ptr<const Graph> body;
  bool open_sizes;
  std::shared_ptr<const Plan> plan;
};

// The plans that somebody holds, by hash of the sub-graph.
class BodyPlans {
 public:
  std::shared_ptr<const BodyPlan> find(size_t hash, const Graph& body, bool open_sizes) {
    const std::lock_guard lock(mutex_);
    auto [it, last] = plans_.equal_range(hash);
    for (; it != last; ++it)
      if (const auto known = it->second.lock();
          known && known->open_sizes == open_sizes && same_graph(*known->body, body))
        return known;
    return nullptr;
  }
  void keep(size_t hash, const std::shared_ptr<const BodyPlan>& plan) {
    const std::lock_guard lock(mutex_);
    if (plans_.size() >= limit_) drop_dead();
    plans_.emplace(hash, plan);
  }

 private:
  // Removes expired entries, and sets the limit so that at least half of it is free.
  void drop_dead() {
    std::erase_if(plans_, [](const auto& known) { return known.second.expired(); });
    limit_ = std::max(kLeast, 2 * plans_.size());
  }

  static constexpr size_t kLeast = 64;
  std::mutex mutex_;
  std::unordered_multimap<size_t, std::weak_ptr<const BodyPlan>> plans_;
  size_t limit_ = kLeast;
};

BodyPlans& body_plans() {
  static BodyPlans* const instance = new BodyPlans;  // the compile thread may outlive statics
  return *instance;
}

}  // namespace

Result<std::shared_ptr<const Plan>> plan_of_body(const std::shared_ptr<const Graph>& body,
                                                 bool open_sizes) {
  const size_t hash = hash_graph(*body);
  auto made = body_plans().find(hash, *body, open_sizes);
  if (!made) {
    auto optimised = std::make_shared<Graph>(*body);
    MSJIT_OK(run_pipeline_nested(*optimised, has_fused_kernels()));
    MSJIT_TRY(auto plan, make_plan(std::move(optimised), *body, true, open_sizes));
    made = std::make_shared<const BodyPlan>(BodyPlan{body, open_sizes, std::move(plan)});
    body_plans().keep(hash, made);
  }
  const Plan* const plan = made->plan.get();
  return std::shared_ptr<const Plan>(std::move(made), plan);
}

}  // namespace msjit
