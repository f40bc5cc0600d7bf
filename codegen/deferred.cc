// An executable that is planned on the compile thread. Until then it runs its graph node by node.
#include <algorithm>
#include <atomic>
#include <optional>

#include "codegen/compile_queue.h"
#include "codegen/executable.h"
#include "graph/control.h"
#include "graph/pipeline.h"
#include "kernels/core/log.h"
#include "kernels/core/profile.h"
#include "kernels/cpu/strided.h"

namespace msjit {
namespace {

// Passes and planning take about 8 us per node. A plan that takes less than a few milliseconds is
// made at once: node by node a graph runs without fusion, which costs an optimizer's steps most.
constexpr int kManyOps = 400;
// A plan is also made at once when the call works on so many elements per node that planning takes
// little time beside it.
constexpr int64_t kElementsAnOp = 100'000;

bool takes_longer_to_plan(const Graph& graph) {
  if (graph.num_ops() < kManyOps) return false;
  int64_t elements = 0;
  for (const ValueInfo& value : graph.values) elements += value.meta.shape.numel();
  return elements < kElementsAnOp * graph.num_ops();
}

// interpret() returns results with the storage they have in eager mode. This gives them the headers
// that a plan's outputs have: an input gets a new header; a constant, and a value that is an output
// for the second time, become copies.
Status hand_out(const Graph& graph, std::vector<Tensor> results, std::span<Tensor> outputs) {
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId id = graph.outputs[i];
    const bool again =
        std::find(graph.outputs.begin(), graph.outputs.begin() + static_cast<ptrdiff_t>(i), id) !=
        graph.outputs.begin() + static_cast<ptrdiff_t>(i);
    const NodeKind root = graph.producer(storage_root(graph, id)).kind;
    if (root == NodeKind::kConstant || (again && graph.producer(id).kind == NodeKind::kOp)) {
      MSJIT_TRY(outputs[i], Tensor::empty(results[i].meta()));
      copy_strided(results[i], outputs[i]);
    } else if (graph.producer(id).kind == NodeKind::kInput) {
      outputs[i] = results[i].detach();
    } else {
      outputs[i] = std::move(results[i]);
    }
  }
  return {};
}

class DeferredExecutable final : public Executable {
 public:
  DeferredExecutable(std::shared_ptr<const Graph> graph, bool open_sizes,
                     std::shared_ptr<const Executable> like)
      : graph_(std::move(graph)),
        open_sizes_(open_sizes),
        like_(std::move(like)),
        dump_directory_(dump_directory()) {}

  void plan() {
    DumpScope scope(DumpScope::Continue{dump_directory_});
    std::optional<profile::Span> span;
    if (profile::on())
      span.emplace(profile::Kind::kCompile, profile::Work{"plan of " + graph_->name});
    auto made = Executable::compile(*graph_, open_sizes_, like_.get());
    like_ = nullptr;
    if (made.ok()) {
      keep_ = made.take();
      planned_.store(keep_.get(), std::memory_order_release);
    } else {
      failure_ = made.take_error();
    }
    settle();
  }
  void settle() {
    settled_.store(true);
    settled_.notify_all();
  }

  Status begin(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
               PendingRun* pending) override {
    if (Executable* planned = planned_.load(std::memory_order_acquire)) [[likely]]
      return planned->begin(inputs, outputs, pending);
    return run(inputs, outputs);
  }
  Status run(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs) override {
    if (Executable* planned = planned_.load(std::memory_order_acquire)) [[likely]]
      return planned->run(inputs, outputs);
    if (settled_.load() && failure_) return std::make_unique<Error>(*failure_);
    MSJIT_TRY(std::vector<Tensor> results, interpret_untracked(*graph_, borrow(inputs)));
    return hand_out(*graph_, std::move(results), outputs);
  }
  void release_memory() override {
    if (Executable* planned = planned_.load(std::memory_order_acquire)) planned->release_memory();
  }
  int tier() const override {
    const Executable* planned = planned_.load(std::memory_order_acquire);
    return planned ? planned->tier() : 0;
  }
  void wait_compiled() override {
    if (Executable* planned = wait_planned()) planned->wait_compiled();
  }
  double compile_ms() const override {
    const Executable* planned = planned_.load(std::memory_order_acquire);
    return planned ? planned->compile_ms() : 0;
  }
  // As for kernels: before there is a plan, its bytes count with the least they can be.
  int64_t code_bytes() const override {
    const Executable* planned = planned_.load(std::memory_order_acquire);
    return planned ? planned->code_bytes()
                   : static_cast<int64_t>(sizeof *this + graph_->nodes.size() * sizeof(Node));
  }
  int num_ops() const override { return graph_->num_ops(); }
  int num_kernels() const override {
    const Executable* planned = wait_planned();
    return planned ? planned->num_kernels() : num_ops();
  }
  std::string describe() const override {
    const Executable* planned = wait_planned();
    return planned ? planned->describe() : "no plan: " + why_not() + "\n";
  }
  std::string graph_text() const override {
    const Executable* planned = wait_planned();
    return planned ? planned->graph_text() : print(*graph_);
  }
  const PlanRunner* runner() const override {
    const Executable* planned = planned_.load(std::memory_order_acquire);
    return planned ? planned->runner() : nullptr;
  }

 private:
  // Null when there will be no plan.
  Executable* wait_planned() const {
    settled_.wait(false);
    return planned_.load(std::memory_order_acquire);
  }
  std::string why_not() const { return failure_ ? failure_->message : "the process ends"; }

  const std::shared_ptr<const Graph> graph_;
  const bool open_sizes_;
  std::shared_ptr<const Executable> like_;  // until there is a plan
  const std::string dump_directory_;
  std::shared_ptr<Executable> keep_;  // written once, before `planned_`
  std::unique_ptr<Error> failure_;    // written once, before `settled_`
  std::atomic<Executable*> planned_{nullptr};
  std::atomic<bool> settled_{false};
};

// Does nothing when the executable died while it waited.
class PlanJob final : public CompileJob {
 public:
  explicit PlanJob(const std::shared_ptr<DeferredExecutable>& executable)
      : executable_(executable) {}
  void run() override {
    if (auto executable = executable_.lock()) executable->plan();
  }
  void drop() override {
    if (auto executable = executable_.lock()) executable->settle();
  }

 private:
  std::weak_ptr<DeferredExecutable> executable_;
};

}  // namespace

Result<std::shared_ptr<Executable>> Executable::compile_later(
    std::shared_ptr<const Graph> graph, bool open_sizes, std::shared_ptr<const Executable> like) {
  if (!takes_longer_to_plan(*graph) || compile_synchronously() || on_compile_thread() ||
      pipeline_is_watched())
    return compile(*graph, open_sizes, like.get());
  auto executable =
      std::make_shared<DeferredExecutable>(std::move(graph), open_sizes, std::move(like));
  compile_queue_submit(std::make_shared<PlanJob>(executable));
  return std::shared_ptr<Executable>(std::move(executable));
}

}  // namespace msjit
