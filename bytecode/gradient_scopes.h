// Gradient transforms that begin and end inside a region: the scopes that the program has opened
// (autograd.py), as the capture goes. They begin where the thread itself is in no scope, which is
// guarded, and no region ends inside one.
#pragma once

#include "bytecode/sizes.h"
#include "graph/pullback.h"

namespace msjit {

class GradientScopes {
 public:
  GradientScopes(GraphSink* sink, Sizes* sizes) : sink_(sink), sizes_(sizes) {}

  // `step`: the instruction of the outermost frame that is under way.
  void push(bool recording, int step);
  bool pop();  // false: none is open
  int level() const { return scopes_.level(); }
  bool recording() const { return scopes_.recording(); }
  bool open() const { return !outer_.empty(); }
  bool any() const { return !scopes_.empty(); }
  int first_step() const { return first_step_; }  // where the first one was opened
  int open_step() const { return open_step_; }    // where the outermost open one was

  // A leaf of a transform that stands for `tensor`.
  Result<Val> leaf(const Val& tensor);
  bool is_leaf(const Val& value) const;
  Result<Vals> gradients(std::span<const Val> outputs, std::span<const Val> seeds,
                         std::span<const Val> wrt, bool differentiable);
  // The values that have a history in eager code. `parameters` may be leaves inside a scope.
  std::vector<bool> tracked(std::span<const ValueId> parameters) const;
  // Whether eager code would be recording the history of `value` here.
  bool records(const Val& value, std::span<const ValueId> parameters) const;

 private:
  struct Outer {
    int level;
    bool recording;
  };
  void set(int level, bool recording);

  GraphSink* sink_;
  Sizes* sizes_;
  GradScopes scopes_;
  std::vector<Outer> outer_;  // of each open scope: what it was opened in
  std::vector<ValueId> leaves_;
  int first_step_ = -1, open_step_ = -1;
};

}  // namespace msjit
