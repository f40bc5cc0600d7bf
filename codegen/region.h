// RegionFunction: a captured graph as a differentiable function of tensors. Without tracked inputs
// a call runs the plain executable. With tracked inputs it runs a forward executable that also
// returns the residuals. The call then becomes one node of the tape, whose gradient is a compiled
// backward graph. Thread-safe; an error leaves the random state as it was.
#pragma once

#include <functional>
#include <mutex>

#include "codegen/executable.h"
#include "codegen/pending_run.h"
#include "graph/autodiff.h"
#include "kernels/eager/tape.h"
#include "kernels/eager/unlocked.h"

namespace msjit {

class RegionFunction : public std::enable_shared_from_this<RegionFunction> {
 public:
  // `open_sizes`: as for Executable::compile.
  static Result<std::shared_ptr<RegionFunction>> create(std::shared_ptr<const Graph> graph,
                                                        bool open_sizes = false);
  using MakeGraph = std::function<Result<std::shared_ptr<Graph>>()>;
  // One of many that differ in sizes. It keeps no graph; `make` gives it each time it is asked for.
  // `like`: another of them, which shares what is equal.
  static Result<std::shared_ptr<RegionFunction>> create_sized(
      MakeGraph make, const std::shared_ptr<RegionFunction>& like);

  // Like Executable::run, or begin() with `pending`. Records a node on the tape when an input is
  // tracked now. `unlocked`: runs without the interpreter's lock.
  Status call(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs, bool unlocked = false,
              PendingRun* pending = nullptr) {
    bool history = false;
    for (const TensorImpl* input : inputs) history |= input->autograd != nullptr;
    if (draws_ || (history && any_tracked(borrow(inputs)))) [[unlikely]]
      return call_slow(inputs, outputs, unlocked, pending);
    if (pending) return plain_->begin(inputs, outputs, pending);
    if (!unlocked) return plain_->run(inputs, outputs);
    return run_unlocked(*plain_, StandIns(borrow(inputs)), outputs);
  }
  // Whether there is enough work to do it without the interpreter's lock. Never for a region that
  // draws random numbers, since their order is the program's. Nor for one with control nodes or
  // calls of other processes: these let other threads run themselves.
  bool is_long() const { return long_; }
  bool has_branches() const { return branches_; }
  bool overwrites() const { return overwrites_; }      // as Graph::overwrites, when there are any
  bool writes_early() const { return writes_early_; }  // as Graph::writes_early
  const std::string& name() const { return name_; }

  Result<std::shared_ptr<const Graph>> graph() const;
  Result<std::string> optimised_graph_text() const;
  Executable& executable() const { return *plain_; }  // the plain forward one
  // Sums over the plain executable and all gradients compiled so far.
  double compile_ms() const;
  void release_memory() { plain_->release_memory(); }
  int64_t code_bytes() const;
  void wait_compiled();

  // The backward graph for gradients of some outputs; `given` as for JointGraph::backward.
  struct Backward {
    InlineVec<bool, 8> given;
    BackwardGraph graph;
    std::shared_ptr<Executable> executable;  // compiled on first use
    bool refused = false;                    // it needs values that were not kept
  };
  // The gradient of this function with respect to one set of inputs.
  struct Variant {
    std::vector<bool> wanted;
    std::shared_ptr<const Graph> graph;  // of the region
    GradGraphs graphs;
    std::shared_ptr<Graph> extras;  // inputs -> the extra outputs only, to compute them again
    std::shared_ptr<Executable> forward;
    std::mutex mutex;                                  // guards `backwards`
    std::vector<std::shared_ptr<Backward>> backwards;  // made on first use
    std::unique_ptr<Error> failure;  // why no gradient can be compiled; every call reports it
  };
  // `compiled`: also makes its executable.
  Result<std::shared_ptr<const Backward>> backward_of(Variant& variant, std::span<const bool> given,
                                                      bool compiled) const;

 private:
  RegionFunction(const Graph& graph, bool open_sizes);
  Status compile(std::shared_ptr<const Graph> graph, std::shared_ptr<const Executable> like);
  Status call_slow(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs, bool unlocked,
                   PendingRun* pending);
  Status call_tracked(std::span<TensorImpl* const> inputs, std::span<Tensor> outputs,
                      bool unlocked);
  static Status run_unlocked(Executable& executable, const StandIns& inputs,
                             std::span<Tensor> outputs);
  Result<std::shared_ptr<Variant>> variant_for(std::span<const Tensor> inputs);
  std::shared_ptr<Variant> find_variant(const std::vector<bool>& wanted) const;
  Result<std::shared_ptr<Variant>> make_variant(std::vector<bool> wanted) const;
  std::shared_ptr<const Executable> like_backward(const Variant& variant,
                                                  std::span<const bool> given) const;

  std::shared_ptr<const Graph> graph_;  // null when `make_graph_` gives it
  MakeGraph make_graph_;
  std::weak_ptr<const RegionFunction> like_;  // for other sizes
  std::shared_ptr<Executable> plain_;
  const std::string name_;
  const bool open_sizes_;
  const bool overwrites_, writes_early_;
  bool draws_ = false;     // holds random nodes
  bool branches_ = false;  // holds If or While
  bool long_ = false;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Variant>> variants_;
};

}  // namespace msjit
