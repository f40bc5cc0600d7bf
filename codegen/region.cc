#include "codegen/region.h"

#include <algorithm>

#include "codegen/fusion.h"
#include "codegen/region_backward.h"
#include "graph/control.h"
#include "graph/passes/passes.h"
#include "graph/pipeline.h"
#include "graph/rewrite.h"
#include "kernels/core/log.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {
namespace {

// Elements of all values together. With fewer, a run is so short that other threads can wait.
constexpr int64_t kLongElements = 1 << 18;

bool is_long_work(const Graph& graph) {
  int64_t elements = 0;
  for (const ValueInfo& value : graph.values) elements += value.meta.shape.numel();
  for (const Node& node : graph.nodes)
    if (node.is_control() || (node.kind == NodeKind::kOp && node.op->has(kRandom))) return false;
  if (calls_processes(graph)) return false;
  return elements >= kLongElements;
}

using Backward = RegionFunction::Backward;
using Variant = RegionFunction::Variant;

Status fill_variant(Variant* variant, bool open_sizes, std::shared_ptr<const Executable> like) {
  DumpScope scope(variant->graph->name + ".grad");
  InlineVec<bool, 16> flags;
  for (bool flag : variant->wanted) flags.push_back(flag);
  MSJIT_TRY(variant->graphs, differentiate(*variant->graph, flags));
  const GradGraphs& graphs = variant->graphs;
  variant->extras = std::make_shared<Graph>(*graphs.forward);
  auto& outputs = variant->extras->outputs;
  outputs.erase(outputs.begin(), outputs.begin() + graphs.num_outputs);
  outputs.resize(static_cast<size_t>(graphs.num_extras));
  MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*variant->extras));
  MSJIT_TRY(variant->forward,
            Executable::compile_later(graphs.forward, open_sizes, std::move(like)));
  return {};
}

// A branch may return an input or an earlier output. That tensor already has a history, through
// which its gradients go. Or a result may have no history at all. In both cases the tape node is
// recorded on a new header instead of the tensor. Returns the tensors to hand out.
Result<std::vector<Tensor>> set_apart(const GradGraphs& graphs, std::span<const Tensor> inputs,
                                      std::span<Tensor> results) {
  const auto is_one_of = [](const Tensor& t, std::span<const Tensor> others) {
    return std::any_of(others.begin(), others.end(), [&](const Tensor& o) { return o.same(t); });
  };
  std::vector<Tensor> kept(static_cast<size_t>(graphs.num_outputs));
  for (size_t i = 0; i < kept.size(); ++i)
    if (is_one_of(results[i], inputs) || is_one_of(results[i], results.first(i)))
      kept[i] = results[i];
  for (size_t k = 0; k < graphs.histories.size(); ++k) {
    if (graphs.histories[k] < 0) continue;
    MSJIT_TRY(const bool has_history, truth_of(results[graphs.histories[k]]));
    if (!has_history) kept[graphs.grad_outputs[k]] = results[graphs.grad_outputs[k]];
  }
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) results[i] = results[i].detach();
  return kept;
}

}  // namespace

RegionFunction::RegionFunction(const Graph& graph, bool open_sizes)
    : name_(graph.name),
      open_sizes_(open_sizes),
      overwrites_(!graph.overwrites.empty()),
      writes_early_(graph.writes_early) {
  for (const Node& node : graph.nodes) {
    draws_ |= node.kind == NodeKind::kOp && node.op->has(kRandom);
    branches_ |= node.is_control();
  }
  long_ = is_long_work(graph);
}

Status RegionFunction::compile(std::shared_ptr<const Graph> graph,
                               std::shared_ptr<const Executable> like) {
  DumpScope scope(name_);
  MSJIT_TRY(plain_, Executable::compile_later(std::move(graph), open_sizes_, std::move(like)));
  return {};
}

Result<std::shared_ptr<RegionFunction>> RegionFunction::create(std::shared_ptr<const Graph> graph,
                                                               bool open_sizes) {
  std::shared_ptr<RegionFunction> region(new RegionFunction(*graph, open_sizes));
  region->graph_ = graph;
  MSJIT_OK(region->compile(std::move(graph), nullptr));
  return region;
}

Result<std::shared_ptr<RegionFunction>> RegionFunction::create_sized(
    MakeGraph make, const std::shared_ptr<RegionFunction>& like) {
  MSJIT_TRY(std::shared_ptr<const Graph> graph, make());
  std::shared_ptr<RegionFunction> region(new RegionFunction(*graph, true));
  region->make_graph_ = std::move(make);
  region->like_ = like;
  MSJIT_OK(region->compile(std::move(graph), like ? like->plain_ : nullptr));
  return region;
}

Result<std::shared_ptr<const Graph>> RegionFunction::graph() const {
  if (graph_) return graph_;
  MSJIT_TRY(std::shared_ptr<const Graph> made, make_graph_());
  return made;
}

Result<std::string> RegionFunction::optimised_graph_text() const {
  if (std::string kept = plain_->graph_text(); !kept.empty()) return kept;
  MSJIT_TRY(const std::shared_ptr<const Graph> made, graph());
  Graph optimised(*made);
  MSJIT_OK(run_pipeline(optimised, has_fused_kernels()));
  return print(optimised);
}

Status RegionFunction::run_unlocked(Executable& executable, const StandIns& inputs,
                                    std::span<Tensor> outputs) {
  const std::vector<TensorImpl*> impls = headers(inputs.tensors());
  Status status;
  without_lock([&] { status = executable.run(impls, outputs); });
  inputs.hand_back(outputs);
  return status;
}

Status RegionFunction::call_slow(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                                 bool unlocked, PendingRun* pending) {
  RandomRollback rollback;
  Status status = any_tracked(borrow(inputs)) ? call_tracked(inputs, outputs, unlocked)
                  : pending                   ? plain_->begin(inputs, outputs, pending)
                                              : plain_->run(inputs, outputs);
  if (status.ok()) rollback.keep();
  return status;
}

Status RegionFunction::call_tracked(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                                    bool unlocked) {
  std::span<const Tensor> tensors = borrow(inputs);
  MSJIT_OK(check_history(name_.c_str(), tensors));
  MSJIT_TRY(std::shared_ptr<Variant> variant, variant_for(tensors));
  if (!variant) return plain_->run(inputs, outputs);
  RandomState random = random_state();
  std::vector<Tensor> results(variant->graphs.forward->outputs.size());
  const StandIns own(unlocked ? tensors : std::span<const Tensor>());
  MSJIT_OK(unlocked ? run_unlocked(*variant->forward, own, results)
                    : variant->forward->run(inputs, results));
  MSJIT_TRY(std::vector<Tensor> handed_on, set_apart(variant->graphs, tensors, results));
  results.resize(outputs.size() + static_cast<size_t>(variant->graphs.num_extras));
  record_custom(make_region_backward(shared_from_this(), variant, random),
                unlocked ? own.tensors() : tensors, results);
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = std::move(handed_on[i] ? handed_on[i] : results[i]);
  return {};
}

std::shared_ptr<Variant> RegionFunction::find_variant(const std::vector<bool>& wanted) const {
  const auto found = std::ranges::find(variants_, wanted, &Variant::wanted);
  return found == variants_.end() ? nullptr : *found;
}

// A failure is kept as well, so that later calls do not try again.
Result<std::shared_ptr<Variant>> RegionFunction::make_variant(std::vector<bool> wanted) const {
  auto variant = std::make_shared<Variant>();
  variant->wanted = std::move(wanted);
  MSJIT_TRY(variant->graph, graph());
  std::shared_ptr<const Executable> like;
  if (const auto other = like_.lock()) {
    std::lock_guard lock(other->mutex_);
    if (const auto known = other->find_variant(variant->wanted)) like = known->forward;
  }
  if (Status status = fill_variant(variant.get(), open_sizes_, std::move(like)); !status.ok())
    variant->failure = status.take_error();
  return variant;
}

// Null when no gradient can flow, because no output depends on a tracked input.
Result<std::shared_ptr<Variant>> RegionFunction::variant_for(std::span<const Tensor> inputs) {
  std::vector<bool> wanted;
  for (const Tensor& t : inputs) wanted.push_back(is_tracked(t));
  std::lock_guard lock(mutex_);
  std::shared_ptr<Variant> found = find_variant(wanted);
  if (!found) {
    MSJIT_TRY(found, make_variant(std::move(wanted)));
    variants_.push_back(found);
  }
  if (found->failure) return std::make_unique<Error>(*found->failure);
  return found->graphs.grad_outputs.empty() ? nullptr : found;
}

// The executable of the same gradients for other sizes.
std::shared_ptr<const Executable> RegionFunction::like_backward(const Variant& variant,
                                                                std::span<const bool> given) const {
  const auto other = like_.lock();
  if (!other) return nullptr;
  std::shared_ptr<Variant> known;
  {
    std::lock_guard lock(other->mutex_);
    known = other->find_variant(variant.wanted);
  }
  if (!known) return nullptr;
  std::lock_guard lock(known->mutex);
  for (const auto& backward : known->backwards)
    if (std::ranges::equal(given, backward->given)) return backward->executable;
  return nullptr;
}

Result<std::shared_ptr<const Backward>> RegionFunction::backward_of(Variant& variant,
                                                                    std::span<const bool> given,
                                                                    bool compiled) const {
  std::lock_guard lock(variant.mutex);
  std::shared_ptr<Backward> found;
  for (const auto& backward : variant.backwards)
    if (std::equal(given.begin(), given.end(), backward->given.begin())) found = backward;
  DumpScope scope(name_ + ".backward");
  if (!found) {
    found = std::make_shared<Backward>();
    for (bool flag : given) found->given.push_back(flag);
    const bool all = std::find(given.begin(), given.end(), false) == given.end();
    auto made = all ? Result(variant.graphs.backward) : variant.graphs.joint->backward(given);
    found->refused = !made.ok() && made.error().kind == ErrorKind::kNotImplemented;
    if (!found->refused) {
      MSJIT_TRY(found->graph, std::move(made));
    }
    variant.backwards.push_back(found);
  }
  if (found->refused)
    return not_implemented_error(
        "[backward] gradients of the results of {}, got only some, expected all: for some alone, "
        "needed values were not kept",
        name_);
  if (compiled && !found->executable) {
    MSJIT_TRY(found->executable, Executable::compile_later(found->graph.graph, open_sizes_,
                                                           like_backward(variant, given)));
  }
  return std::shared_ptr<const Backward>(std::move(found));
}

double RegionFunction::compile_ms() const {
  std::lock_guard lock(mutex_);
  double total = plain_->compile_ms();
  for (const auto& variant : variants_) {
    std::lock_guard variant_lock(variant->mutex);
    if (variant->forward) total += variant->forward->compile_ms();
    for (const auto& backward : variant->backwards)
      if (backward->executable) total += backward->executable->compile_ms();
  }
  return total;
}

int64_t RegionFunction::code_bytes() const {
  std::lock_guard lock(mutex_);
  int64_t total = plain_->code_bytes();
  if (graph_) total += static_cast<int64_t>(graph_->nodes.size() * 2 * sizeof(Node));
  for (const auto& variant : variants_) {
    std::lock_guard variant_lock(variant->mutex);
    if (variant->forward) total += variant->forward->code_bytes();
    for (const auto& backward : variant->backwards)
      if (backward->executable) total += backward->executable->code_bytes();
  }
  return total;
}

void RegionFunction::wait_compiled() {
  plain_->wait_compiled();
  std::lock_guard lock(mutex_);
  for (const auto& variant : variants_) {
    if (variant->forward) variant->forward->wait_compiled();
    std::lock_guard variant_lock(variant->mutex);
    for (const auto& backward : variant->backwards)
      if (backward->executable) backward->executable->wait_compiled();
  }
}

}  // namespace msjit
