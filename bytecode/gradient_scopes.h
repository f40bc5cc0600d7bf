// GradientScopes: gradient transforms that begin and end inside a region. It holds the scopes that
// the captured program has opened so far (autograd.py). They begin where the thread itself is in no
// scope, which is guarded. No region ends inside one.
#pragma once

#include "bytecode/sizes.h"
#include "graph/pullback.h"

namespace msjit {

class GradientScopes {
 public:
  GradientScopes(GraphSink* sink, Sizes* sizes) : sink_(sink), sizes_(sizes) {}

  // `step`: the current step of the outermost frame.
  void push(bool recording, int step);
  bool pop();  // false: none is open
  int level() const { return scopes_.level(); }
  bool recording() const { return scopes_.recording(); }
  bool open() const { return !outer_.empty(); }
  bool any() const { return !scopes_.empty(); }
  int first_step() const { return first_step_; }  // where the first scope was opened
  int open_step() const { return open_step_; }    // where the outermost open scope was opened

  // A new value equal to `tensor` by which a transform differentiates.
  Result<Val> leaf(const Val& tensor);
  bool is_leaf(const Val& value) const;
  // New values for the outputs of a step with a custom gradient: a function of (inputs, outputs,
  // gradients of the outputs) that gives the gradients of the inputs.
  Result<Vals> custom(std::span<const Val> inputs, std::span<const Val> outputs, SymRef gradient);
  // Whether a backward pass made this node of the graph.
  bool is_backward(int32_t node) const;
  // The graph values that would have a history in eager code. `parameters` may be leaves inside a
  // scope.
  std::vector<bool> tracked(std::span<const ValueId> parameters) const;
  // Whether eager code would be recording the history of `value` here.
  bool records(const Val& value, std::span<const ValueId> parameters) const;

 private:
  friend class BackwardPass;
  struct Outer {
    int level;
    bool recording;
  };
  void set(int level, bool recording);
  int32_t node_count() const { return static_cast<int32_t>(sink_->graph()->nodes.size()); }

  GraphSink* sink_;
  Sizes* sizes_;
  GradScopes scopes_;
  std::vector<Outer> outer_;  // for each open scope: the state in which it was opened
  std::vector<ValueId> leaves_;
  std::vector<SymRef> custom_gradients_;               // by custom step
  std::vector<std::pair<int32_t, int32_t>> backward_;  // [first, end) of nodes, ascending
  int first_step_ = -1, open_step_ = -1;
};

// BackwardPass: a Pullback whose calls are noted in the shape trace.
class BackwardPass {
 public:
  // A custom step at which the pass stands, and what its gradient function is given.
  struct Stop {
    SymRef gradient;
    Vals inputs, outputs, output_gradients;  // empty: that gradient does not arrive
  };

  BackwardPass(GradientScopes& scopes, bool differentiable)
      : scopes_(scopes),
        pullback_(*scopes.sink_, scopes.scopes_, differentiable),
        differentiable_(differentiable) {}
  Status begin(std::span<const Val> outputs, std::span<const Val> seeds, std::span<const Val> wrt);
  // Goes on to the next custom step. False: there is none.
  Result<bool> next(Stop* stop);
  // One gradient for each input of that step; empty: it has none.
  Status give(std::span<const Val> gradients);
  Result<Vals> finish();

 private:
  // Notes the nodes that are made while it lives.
  class Noted {
   public:
    explicit Noted(GradientScopes& scopes) : scopes_(scopes), first_(scopes.node_count()) {}
    ~Noted() { scopes_.backward_.emplace_back(first_, scopes_.node_count()); }
    Noted(const Noted&) = delete;

   private:
    GradientScopes& scopes_;
    const int32_t first_;
  };
  ShapeRecorder* recorder() { return scopes_.sizes_->recorder(); }

  GradientScopes& scopes_;
  Pullback pullback_;
  const bool differentiable_;
  int custom_ = -1;
};

}  // namespace msjit
