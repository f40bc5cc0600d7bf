// Runs a shape trace for given sizes, onto a graph of its own.
#pragma once

#include <set>

#include "graph/shape_trace.h"

namespace msjit {

// Builds the graph of a trace, or of as much of it as has been recorded so far.
class TraceReplay {
 public:
  TraceReplay(const ShapeTrace& trace, std::span<const int64_t> sizes);

  bool advance();
  bool has(int32_t value) const { return value < static_cast<int32_t>(values_.size()); }
  const Shape& shape(int32_t value) const { return values_[value].shape(); }

  Result<std::shared_ptr<Graph>> finish();

 private:
  Result<int64_t> size(const TracedSize& traced) const;
  Status run(const TraceStep& step);
  Val copy(const Val& from);
  Result<Vals> control(const TraceStep& step);
  Result<Vals> scan(const TraceStep& step);
  Result<Vals> gradients(const TraceStep& step);
  static Status check_pairs(std::span<const Val> a, std::span<const Val> b);
  // As the join rule asks: what an arm has made is no view of a tensor from outside.
  Status check_view(const Val& value, int32_t first) const;
  Result<Meta> input_meta(const TraceStep& step) const;
  Result<Vals> apply(const TraceStep& step);
  Result<Val> index(const TraceStep& step);
  // What Python code may have been told of the results.
  Status check(const TraceStep& step, Vals& results);

  const ShapeTrace& trace_;
  std::vector<int64_t> sizes_;
  std::shared_ptr<Graph> graph_;
  GraphSink sink_;
  GradScopes scopes_;
  Vals values_;
  std::set<ValueId> known_;
  std::vector<int32_t> first_node_;  // by step: the nodes there were before it
  size_t next_ = 0;
  Status status_;
};

}  // namespace msjit
