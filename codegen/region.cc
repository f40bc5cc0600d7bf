#include "codegen/region.h"

#include <algorithm>

#include "codegen/region_backward.h"
#include "graph/control.h"
#include "graph/passes/passes.h"
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

Status fill_variant(const Graph& graph, bool open_sizes, Variant* variant) {
  DumpScope scope(graph.name + ".grad");
  InlineVec<bool, 16> flags;
  for (bool flag : variant->wanted) flags.push_back(flag);
  MSJIT_TRY(variant->graphs, differentiate(graph, flags));
  const GradGraphs& graphs = variant->graphs;
  variant->extras = std::make_shared<Graph>(*graphs.forward);
  auto& outputs = variant->extras->outputs;
  outputs.erase(outputs.begin(), outputs.begin() + graphs.num_outputs);
  outputs.resize(static_cast<size_t>(graphs.num_extras));
  MSJIT_TRY([[maybe_unused]] bool pruned, dead_code(*variant->extras));
  MSJIT_TRY(variant->forward, Executable::compile_later(graphs.forward, open_sizes));
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

// A failure is kept as well, so that later calls do not try again.
std::shared_ptr<Variant> make_variant(const Graph& graph, bool open_sizes,
                                      std::vector<bool> wanted) {
  auto variant = std::make_shared<Variant>();
  variant->wanted = std::move(wanted);
  if (Status status = fill_variant(graph, open_sizes, variant.get()); !status.ok())
    variant->failure = status.take_error();
  return variant;
}

}  // namespace

Result<std::shared_ptr<RegionFunction>> RegionFunction::create(std::shared_ptr<const Graph> graph,
                                                               bool open_sizes) {
  std::shared_ptr<RegionFunction> region(new RegionFunction(std::move(graph), open_sizes));
  for (const Node& node : region->graph_->nodes) {
    region->draws_ |= node.kind == NodeKind::kOp && node.op->has(kRandom);
    region->branches_ |= node.is_control();
  }
  region->long_ = is_long_work(*region->graph_);
  DumpScope scope(region->graph_->name);
  MSJIT_TRY(region->plain_, Executable::compile_later(region->graph_, open_sizes));
  return region;
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
  MSJIT_OK(check_history(graph_->name.c_str(), tensors));
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

// Null when no gradient can flow, because no output depends on a tracked input.
Result<std::shared_ptr<Variant>> RegionFunction::variant_for(std::span<const Tensor> inputs) {
  std::vector<bool> wanted;
  for (const Tensor& t : inputs) wanted.push_back(is_tracked(t));
  std::lock_guard lock(mutex_);
  std::shared_ptr<Variant> found;
  for (const auto& variant : variants_)
    if (variant->wanted == wanted) found = variant;
  if (!found) {
    found = make_variant(*graph_, open_sizes_, std::move(wanted));
    variants_.push_back(found);
  }
  if (found->failure) return std::make_unique<Error>(*found->failure);
  return found->graphs.grad_outputs.empty() ? nullptr : found;
}

Result<std::shared_ptr<const Backward>> RegionFunction::backward_of(Variant& variant,
                                                                    std::span<const bool> given,
                                                                    bool compiled) const {
  std::lock_guard lock(variant.mutex);
  std::shared_ptr<Backward> found;
  for (const auto& backward : variant.backwards)
    if (std::equal(given.begin(), given.end(), backward->given.begin())) found = backward;
  DumpScope scope(graph_->name + ".backward");
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
        graph_->name);
  if (compiled && !found->executable) {
    MSJIT_TRY(found->executable, Executable::compile_later(found->graph.graph, open_sizes_));
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
