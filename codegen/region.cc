#include "codegen/region.h"

#include <algorithm>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "kernels/core/log.h"
#include "kernels/core/random.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {

extern const OpDef op_identity;

namespace {

// Elements of all values: for less, other threads are not kept waiting for long.
constexpr int64_t kLongElements = 1 << 18;

bool is_long_work(const Graph& graph) {
  int64_t elements = 0;
  for (const ValueInfo& value : graph.values) elements += value.meta.shape.numel();
  for (const Node& node : graph.nodes)
    if (node.is_control() || (node.kind == NodeKind::kOp && node.op->has(kRandom))) return false;
  return elements >= kLongElements;
}

using Backward = RegionFunction::Backward;
using Variant = RegionFunction::Variant;

std::vector<TensorImpl*> headers(std::span<const Tensor> tensors) {
  std::vector<TensorImpl*> impls;
  impls.reserve(tensors.size());
  for (const Tensor& t : tensors) impls.push_back(t.impl());
  return impls;
}

// Puts the random state back unless told that all went well.
class RandomRollback {
 public:
  RandomRollback() : saved_(random_state()) {}
  ~RandomRollback() {
    if (!keep_) set_random_state(saved_);
  }
  const RandomState& saved() const { return saved_; }
  void keep() { keep_ = true; }

 private:
  RandomState saved_;
  bool keep_ = false;
};

class RegionBackward final : public CustomBackward {
 public:
  // The outputs of its tape node are those of the region and then the extra ones.
  RegionBackward(std::shared_ptr<const RegionFunction> region, std::shared_ptr<Variant> variant,
                 RandomState random)
      : region_(std::move(region)), variant_(std::move(variant)), random_(random) {}

  const char* name() const override { return region_->graph().name.c_str(); }
  bool keeps_input(size_t i) const override {
    return runs_again() || residual_of(Residual::From::kInput, i) < residuals().size();
  }
  bool reads_input(size_t i, const BackwardRequest& request) const override {
    return (request.create_graph && runs_again()) || is_lifted(request) || starts_over(request) ||
           reads(residual_of(Residual::From::kInput, i), request);
  }
  bool reads_output(size_t i, const BackwardRequest& request) const override {
    if (i < num_outputs()) return reads(residual_of(Residual::From::kOutput, i), request);
    return !request.create_graph &&
           reads(residual_of(Residual::From::kExtra, i - num_outputs()), request);
  }

  bool tracks_output(size_t i) const override {
    const auto& tracked = variant_->graphs.grad_outputs;
    return std::find(tracked.begin(), tracked.end(), static_cast<int>(i)) != tracked.end();
  }
  bool is_view(size_t output) const override {
    return viewed(region_->graph(), region_->graph().outputs[output]) >= 0;
  }

  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                  const BackwardRequest& request) override {
    const bool create_graph = request.create_graph;
    if ((create_graph && region_->has_branches()) || is_lifted(request) || starts_over(request))
      return run_again(inputs, request);
    const std::span<const Tensor> kept =
        outputs.subspan(num_outputs(), static_cast<size_t>(variant_->graphs.num_extras));
    MSJIT_TRY(std::vector<Tensor> extras, create_graph
                                              ? tracked_extras(inputs)
                                              : Result(std::vector(kept.begin(), kept.end())));
    std::vector<Tensor> arguments;
    for (const Residual& residual : residuals())
      arguments.push_back(pick(residual, inputs, outputs, extras));
    for (int index : variant_->graphs.grad_outputs)
      if (const Tensor& grad = request.output_grads[index]) arguments.push_back(grad);
    MSJIT_TRY(auto backward, backward_for(request, !create_graph));
    const BackwardGraph& graph = backward->graph;
    MSJIT_TRY(std::vector<Tensor> results,
              create_graph ? interpret(*graph.graph, arguments) : run(*backward, arguments));
    std::vector<Tensor> grads(inputs.size());
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const int index = graph.inputs[i], arrives = graph.arrives[i];
      if (request.wanted[index] && (arrives < 0 || truth_of(results[arrives])))
        grads[index] = std::move(results[i]);
    }
    return grads;
  }

 private:
  const std::vector<Residual>& residuals() const { return variant_->graphs.residuals; }
  size_t num_outputs() const { return static_cast<size_t>(variant_->graphs.num_outputs); }
  const Meta& meta_of(int output) const {
    return region_->graph().meta(region_->graph().outputs[output]);
  }
  // Gradients of integer outputs are floats where they come through an operator that lifts
  // integers; the backward graph takes them for integers.
  bool is_lifted(const BackwardRequest& request) const {
    for (int index : variant_->graphs.grad_outputs)
      if (const Tensor& grad = request.output_grads[index])
        if (grad.dtype() != meta_of(index).dtype) return true;
    return false;
  }
  // Those gradients that arrived, by themselves, need what was not kept.
  bool starts_over(const BackwardRequest& request) const {
    if (!region_->has_branches()) return false;
    const auto backward = backward_for(request, false);
    return !backward.ok() && backward.error().kind == ErrorKind::kNotImplemented;
  }
  // For gradients of gradients, or of integers.
  bool runs_again() const {
    const auto& tracked = variant_->graphs.grad_outputs;
    return !variant_->extras->outputs.empty() || region_->has_branches() ||
           std::any_of(tracked.begin(), tracked.end(),
                       [&](int index) { return !is_inexact(meta_of(index).dtype); });
  }
  // The number of residuals if it is none.
  size_t residual_of(Residual::From from, size_t i) const {
    const Residual wanted{from, static_cast<int>(i)};
    return std::find(residuals().begin(), residuals().end(), wanted) - residuals().begin();
  }

  Result<std::shared_ptr<const Backward>> backward_for(const BackwardRequest& request,
                                                       bool compiled) const {
    InlineVec<bool, 8> given;
    for (int index : variant_->graphs.grad_outputs)
      given.push_back(static_cast<bool>(request.output_grads[index]));
    return region_->backward_of(*variant_, given, compiled);
  }

  // Whether a gradient that is asked for depends on the residual; interpreted graphs run whole.
  bool reads(size_t residual, const BackwardRequest& request) const {
    if (residual == residuals().size()) return false;
    auto backward = backward_for(request, false);
    if (!backward.ok()) return true;
    const BackwardGraph& wanted = backward.value()->graph;
    const Graph& graph = *wanted.graph;
    std::vector<bool> needed(graph.nodes.size());
    const auto need = [&](int output) { needed[graph.values[graph.outputs[output]].node] = true; };
    for (size_t i = 0; i < wanted.inputs.size(); ++i) {
      if (!request.wanted[wanted.inputs[i]] && !request.create_graph) continue;
      need(static_cast<int>(i));
      if (wanted.arrives[i] >= 0) need(wanted.arrives[i]);
    }
    mark_inputs(graph, &needed);
    return needed[graph.values[graph.inputs[residual]].node];
  }

  static Tensor pick(const Residual& residual, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs, std::span<const Tensor> extras) {
    switch (residual.from) {
      case Residual::From::kInput: return inputs[residual.index];
      case Residual::From::kOutput: return outputs[residual.index];
      case Residual::From::kExtra: break;
    }
    return extras[residual.index];
  }

  // The saved values have no history; a gradient of this gradient needs them as functions of the
  // inputs.
  Result<std::vector<Tensor>> tracked_extras(std::span<const Tensor> inputs) const {
    if (variant_->extras->outputs.empty()) return std::vector<Tensor>();
    RandomRollback rollback;
    set_random_state(random_);
    return interpret(*variant_->extras, inputs);
  }

  // Where a backward graph works on something that did not arrive, its own gradient is none. So
  // what the region did is done over op by op, and the gradient of that taken. It ends at values of
  // their own, since inputs may depend on each other.
  Result<std::vector<Tensor>> run_again(std::span<const Tensor> inputs,
                                        const BackwardRequest& request) const {
    RandomRollback rollback;
    set_random_state(random_);
    const GradScope recording;
    std::vector<Tensor> own(inputs.begin(), inputs.end()), ends, roots, seeds;
    for (size_t i = 0; i < own.size(); ++i) {
      if (!request.wanted[i]) continue;
      if (!request.create_graph) {
        ends.push_back(own[i] = grad_input(own[i]));
        continue;
      }
      TensorVec apart;
      MSJIT_OK(run_op(op_identity, {&own[i], 1}, {}, &apart));
      ends.push_back(own[i] = apart[0]);
    }
    MSJIT_TRY(std::vector<Tensor> results, interpret(region_->graph(), own));
    for (size_t i = 0; i < results.size(); ++i) {
      if (!request.output_grads[i]) continue;
      roots.push_back(results[i]);
      seeds.push_back(request.output_grads[i]);
    }
    MSJIT_TRY(std::vector<Tensor> arrived, inner_gradients(roots, seeds, ends));
    std::vector<Tensor> grads(inputs.size());
    for (size_t i = 0, next = 0; i < grads.size(); ++i)
      if (request.wanted[i]) grads[i] = std::move(arrived[next++]);
    for (Tensor& grad : grads)
      if (grad && !request.create_graph) grad = grad.detach();
    return grads;
  }

  static Result<std::vector<Tensor>> run(const Backward& backward,
                                         std::span<const Tensor> arguments) {
    std::vector<Tensor> results(backward.graph.graph->outputs.size());
    MSJIT_OK(backward.executable->run(headers(arguments), results));
    return results;
  }

  std::shared_ptr<const RegionFunction> region_;
  std::shared_ptr<Variant> variant_;
  RandomState random_;  // as it was before the forward run
};

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

// A branch may give an input, or an earlier output, as an output: that tensor has a history of its
// own, through which its gradients go; and what it gives may have none. The node is recorded for
// headers that stand in for such tensors; they themselves come back.
std::vector<Tensor> set_apart(const GradGraphs& graphs, std::span<const Tensor> inputs,
                              std::span<Tensor> results) {
  const auto is_one_of = [](const Tensor& t, std::span<const Tensor> others) {
    return std::any_of(others.begin(), others.end(), [&](const Tensor& o) { return o.same(t); });
  };
  std::vector<Tensor> kept(static_cast<size_t>(graphs.num_outputs));
  for (size_t i = 0; i < kept.size(); ++i)
    if (is_one_of(results[i], inputs) || is_one_of(results[i], results.first(i)))
      kept[i] = results[i];
  for (size_t k = 0; k < graphs.histories.size(); ++k)
    if (graphs.histories[k] >= 0 && !truth_of(results[graphs.histories[k]]))
      kept[graphs.grad_outputs[k]] = results[graphs.grad_outputs[k]];
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) results[i] = results[i].detach();
  return kept;
}

// A failure is kept too, so that it is met once and not worked out anew in each call.
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
  std::vector<Tensor> handed_on = set_apart(variant->graphs, tensors, results);
  results.resize(outputs.size() + static_cast<size_t>(variant->graphs.num_extras));
  record_custom(std::make_shared<RegionBackward>(shared_from_this(), variant, random),
                unlocked ? own.tensors() : tensors, results);
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = std::move(handed_on[i] ? handed_on[i] : results[i]);
  return {};
}

// Null when no gradient could flow: no output depends on a tracked input.
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
    return not_implemented_error("[backward] some of the gradients of {} alone", graph_->name);
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
