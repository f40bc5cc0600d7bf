#include "codegen/body_plans.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "codegen/fusion.h"
#include "graph/pipeline.h"

namespace msjit {
namespace {

// By hash of the sub-graph. A plan is of this very sub-graph, or one equal to it.
class BodyPlans {
 public:
  std::shared_ptr<const Plan> find(size_t hash, const std::shared_ptr<const Graph>& body,
                                   bool open_sizes) {
    const std::lock_guard lock(mutex_);
    auto [it, last] = plans_.equal_range(hash);
    for (; it != last; ++it) {
      Known& known = it->second;
      const auto plan = known.plan.lock();
      const auto other = known.body.lock();
      if (!plan || !other || known.open_sizes != open_sizes || !same_graph(*other, *body)) continue;
      known.body = body;  // the younger one lives longer
      return plan;
    }
    return nullptr;
  }
  void keep(size_t hash, const std::shared_ptr<const Graph>& body, bool open_sizes,
            const std::shared_ptr<const Plan>& plan) {
    const std::lock_guard lock(mutex_);
    if (plans_.size() >= limit_) drop_dead();
    plans_.emplace(hash, Known{body, open_sizes, plan});
  }

 private:
  struct Known {
    std::weak_ptr<const Graph> body;  // before the passes
    bool open_sizes;
    std::weak_ptr<const Plan> plan;
  };
  // Half of the room at least is free again behind it.
  void drop_dead() {
    std::erase_if(plans_, [](const auto& known) { return known.second.plan.expired(); });
    limit_ = std::max(kLeast, 2 * plans_.size());
  }

  static constexpr size_t kLeast = 64;
  std::mutex mutex_;
  std::unordered_multimap<size_t, Known> plans_;
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
  if (auto known = body_plans().find(hash, body, open_sizes)) return known;
  auto optimised = std::make_shared<Graph>(*body);
  MSJIT_OK(run_pipeline_nested(*optimised, has_fused_kernels()));
  MSJIT_TRY(auto plan, make_plan(std::move(optimised), *body, true, open_sizes));
  body_plans().keep(hash, body, open_sizes, plan);
  return plan;
}

}  // namespace msjit
