#include "codegen/region_backward.h"

#include <algorithm>

#include "graph/rewrite.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {

extern const OpDef op_identity;

std::vector<TensorImpl*> headers(std::span<const Tensor> tensors) {
  std::vector<TensorImpl*> impls;
  impls.reserve(tensors.size());
  for (const Tensor& t : tensors) impls.push_back(t.impl());
  return impls;
}

namespace {

using Backward = RegionFunction::Backward;
using Variant = RegionFunction::Variant;

class RegionBackward final : public CustomBackward {
 public:
  // The outputs of its tape node are those of the region and then the extra ones.
  RegionBackward(std::shared_ptr<const RegionFunction> region, std::shared_ptr<Variant> variant,
                 RandomState random)
      : region_(std::move(region)), variant_(std::move(variant)), random_(random) {}

  const char* name() const override { return region_->name().c_str(); }
  bool keeps_input(size_t i) const override {
    return runs_again() || residual_of(Residual::From::kInput, i) < residuals().size();
  }
  bool reads_input(size_t i, const BackwardRequest& request) const override {
    const bool again = request.create_graph && (region_->has_branches() || makes_extras(i));
    return again || is_lifted(request) || starts_over(request) ||
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
    return may_be_view(graph(), graph().outputs[output]);
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
      if (!request.wanted[index]) continue;
      bool arrived = true;
      if (arrives >= 0) {
        MSJIT_TRY(arrived, truth_of(results[arrives]));
      }
      if (arrived) grads[index] = std::move(results[i]);
    }
    return grads;
  }

 private:
  const Graph& graph() const { return *variant_->graph; }
  const std::vector<Residual>& residuals() const { return variant_->graphs.residuals; }
  size_t num_outputs() const { return static_cast<size_t>(variant_->graphs.num_outputs); }
  const Meta& meta_of(int output) const { return graph().meta(graph().outputs[output]); }
  // The gradient of an integer output is a float when it comes through an operator that lifts
  // integers to floats. The backward graph expects the output's dtype.
  bool is_lifted(const BackwardRequest& request) const {
    for (int index : variant_->graphs.grad_outputs)
      if (const Tensor& grad = request.output_grads[index])
        if (grad.dtype() != meta_of(index).dtype) return true;
    return false;
  }
  // Whether the backward graph for just the gradients that arrived would need values that were not
  // kept. run() then runs the region again.
  bool starts_over(const BackwardRequest& request) const {
    if (!region_->has_branches()) return false;
    const auto backward = backward_for(request, false);
    return !backward.ok() && backward.error().kind == ErrorKind::kNotImplemented;
  }
  // Whether some requests run the region, or part of it, again: gradients of gradients or of
  // integers.
  bool runs_again() const {
    const auto& tracked = variant_->graphs.grad_outputs;
    return !variant_->extras->outputs.empty() || region_->has_branches() ||
           std::any_of(tracked.begin(), tracked.end(),
                       [&](int index) { return !is_inexact(meta_of(index).dtype); });
  }
  // Whether tracked_extras() reads this input of the region.
  bool makes_extras(size_t i) const {
    const Graph& extras = *variant_->extras;
    const auto is_input = [id = extras.inputs[i]](const Node& node) {
      return std::ranges::find(node.inputs, id) != node.inputs.end();
    };
    return std::ranges::any_of(extras.nodes, is_input) ||
           std::ranges::find(extras.outputs, extras.inputs[i]) != extras.outputs.end();
  }
  // The number of residuals when there is no such residual.
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

  // Whether a requested gradient depends on the residual. With create_graph the whole graph is
  // interpreted, so all its gradients count.
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

  // The saved extra outputs have no history. A gradient of this gradient needs them as functions of
  // the inputs, so they are computed again.
  Result<std::vector<Tensor>> tracked_extras(std::span<const Tensor> inputs) const {
    if (variant_->extras->outputs.empty()) return std::vector<Tensor>();
    RandomRollback rollback;
    set_random_state(random_);
    return interpret(*variant_->extras, inputs);
  }

  // Runs the region again op by op on the tape and takes the gradient of that. A gradient of the
  // backward graph itself would be wrong: the graph also computes on gradients that did not arrive.
  // The walk ends at new tensors that stand for the inputs, since inputs may depend on each other.
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
    MSJIT_TRY(std::vector<Tensor> results, interpret(graph(), own));
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

}  // namespace

std::shared_ptr<CustomBackward> make_region_backward(std::shared_ptr<const RegionFunction> region,
                                                     std::shared_ptr<Variant> variant,
                                                     RandomState random) {
  return std::make_shared<RegionBackward>(std::move(region), std::move(variant), random);
}

}  // namespace msjit
