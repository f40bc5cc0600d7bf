// TraceReplay: runs a shape trace for given sizes and builds the graph.
#pragma once

#include <deque>
#include <set>

#include "graph/shape_trace.h"

namespace msjit {

// Also works on a trace that is still being recorded: it replays the steps there are so far.
class TraceReplay {
 public:
  TraceReplay(const ShapeTrace& trace, std::span<const int64_t> sizes);

  bool advance();
  bool has(int32_t value) const { return value < static_cast<int32_t>(values_.size()); }
  const Shape& shape(int32_t value) const { return values_[value].shape(); }

  Result<std::shared_ptr<Graph>> finish();

 private:
  Result<int64_t> size(const TracedSize& traced) const;
  Vals values(std::span<const int32_t> traced) const;
  Status run(const TraceStep& step);
  // The results of a step; of a step without results an empty list.
  Result<Vals> results_of(const TraceStep& step);
  Result<Vals> input(const TraceStep& step);
  Result<Vals> apply(const TraceStep& step);
  Result<Vals> index(const TraceStep& step);
  Val copy(const Val& from);
  Vals placeholder(const Meta& meta);
  Result<Vals> control(const TraceStep& step);
  Result<Vals> scan(const TraceStep& step);
  Vals scope(const TraceStep& step);
  Vals draws(const TraceStep& step);
  Vals custom(const TraceStep& step);
  // The steps of backward passes.
  Result<Vals> begin_backward(const TraceStep& step);
  Result<Vals> next_custom(const TraceStep& step);
  Result<Vals> give_gradients(const TraceStep& step);
  Result<Vals> end_backward();
  // Whether the two values of each pair can be joined, as at the end of two arms.
  static Status check_pairs(std::span<const Val> a, std::span<const Val> b);
  // Compares the results with what the captured Python code may have been told of them.
  Status check(const TraceStep& step, Vals& results);

  const ShapeTrace& trace_;
  std::vector<int64_t> sizes_;
  std::shared_ptr<Graph> graph_;
  GraphSink sink_;
  GradScopes scopes_;
  struct Pass {
    Pullback pullback;
    int custom;  // the step at which it stands
  };
  std::deque<Pass> passes_;  // those that have begun, innermost last
  Vals values_;
  std::set<ValueId> known_;
  std::vector<int32_t> first_node_;  // by step: the nodes there were before it
  size_t next_ = 0;
  Status status_;
};

}  // namespace msjit
