// Extractor: copies the nodes that the needed values depend on from one graph into another. A value
// that was mapped beforehand is taken as given, and nothing it depends on is copied.
#pragma once

#include "graph/graph_sink.h"

namespace msjit {

class Extractor {
 public:
  Extractor(const Graph& from, GraphSink* to);
  void map(ValueId from, ValueId to) { map_[from] = to; }
  void need(ValueId id) { needed_.push_back(id); }
  ValueId get(ValueId id) const { return map_[id]; }
  Status run();

 private:
  Status copy(const Node& node);

  const Graph& from_;
  GraphSink* to_;
  std::vector<ValueId> map_;
  std::vector<bool> apart_;
  std::vector<ValueId> needed_;
};

}  // namespace msjit
