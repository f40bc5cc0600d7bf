// Extractor: copies from one graph into another whatever the asked values need; values mapped
// beforehand are taken as given.
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
