// Runs a large batch through a network a few images at a time, so that one layer's results are
// still in the caches when the next layer reads them. The pass looks for a part of the graph in
// which row i of every value (along axis 0) depends only on row i of the values before it. That
// part becomes the body of a loop over slices of the batch. The largest value a layer reads or
// writes decides how many rows a slice has. Layers whose values differ much in size become separate
// loops.
#include <algorithm>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "graph/scan.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_reshape;

namespace {

constexpr int64_t kSliceBytes = int64_t{4} << 20;  // the larger of what a layer reads and writes
constexpr int64_t kLeastBytes = int64_t{16}
                                << 20;  // of a value that stays inside; below, caches hold it

bool folds_rows(const Node& node, int rank) {
  const AttrValue& axes = node.attrs[node.op->signature.attr_index("axis")];
  const auto is_rows = [&](int64_t axis) { return axis == 0 || axis == -rank; };
  if (axes.kind() == AttrValue::Kind::kInt) return is_rows(axes.as_int());
  if (axes.kind() != AttrValue::Kind::kIntList || axes.as_list().empty()) return true;
  return std::ranges::any_of(axes.as_list(), is_rows);
}

class Slicer {
 public:
  explicit Slicer(const Graph& graph)
      : from_(graph),
        live_(live_nodes(graph)),
        apart_(kept_apart(graph)),
        place_(graph.values.size(), Place::kBefore),
        taken_(graph.nodes.size()),
        to_(std::make_shared<Graph>()),
        sink_(to_),
        map_(graph.values.size(), -1) {}

  Result<bool> run(Graph* result) {
    if (!find_part() || !collect_results() || !find_inputs()) return false;
    to_->name = from_.name;
    MSJIT_OK(copy(Place::kBefore));
    MSJIT_OK(append_loop());
    MSJIT_OK(copy(Place::kBehind));
    for (ValueId id : from_.outputs) to_->outputs.push_back(map_[id]);
    *result = std::move(*to_);
    return true;
  }

 private:
  enum class Place : uint8_t { kBefore, kInside, kBehind };  // relative to the loop

  const Meta& meta(ValueId id) const { return from_.meta(id); }
  bool is_inside(ValueId id) const { return place_[id] == Place::kInside; }
  bool has_rows(ValueId id) const {
    const Shape& shape = meta(id).shape;
    return shape.rank() > 0 && shape[0] == batch_;
  }
  int64_t bytes(ValueId id) const { return meta(id).shape.numel() * item_size(meta(id).dtype); }

  // -- Which nodes

  // Nodes in order: whether a node can join the loop depends on those before it.
  bool find_part() {
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      const Node& node = from_.nodes[n];
      if (node.kind != NodeKind::kOp || !live_[n]) continue;
      if (!node.op->has(kPure) || node.op->has(kRandom)) return false;  // may not change places
      bool behind = false;
      for (ValueId id : node.inputs) behind |= id >= 0 && place_[id] == Place::kBehind;
      if (!behind && !apart_[node.first_output] && joins(node)) {
        taken_[n] = true;
        nodes_.push_back(static_cast<int32_t>(n));
        place_[node.first_output] = Place::kInside;
        continue;
      }
      for (ValueId id : node.inputs) behind |= id >= 0 && is_inside(id);
      for (int32_t i = 0; behind && i < node.num_outputs; ++i)
        place_[node.first_output + i] = Place::kBehind;
    }
    return !nodes_.empty();
  }

  bool joins(const Node& node) {
    if (node.is_control() || node.num_outputs != 1) return false;
    const bool starts = nodes_.empty();
    if (starts) {  // with a layer whose batch is worth cutting
      if (!node.op->has(kBatched) || meta(node.inputs[0]).shape.rank() != 4) return false;
      batch_ = meta(node.inputs[0]).shape[0];
      slice_ = rows_that_fit(node);
      if (slice_ >= batch_) return false;
    }
    if (!has_rows(node.first_output) || meta(node.first_output).shape.numel() == 0) return false;
    bool any = false;
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id < 0) continue;
      if (!is_by_row(node, i) && is_inside(id)) return false;
      any |= is_inside(id);
    }
    return row_wise(node) && (any || node.op->has(kBatched)) && rows_that_fit(node) <= 2 * slice_;
  }

  bool row_wise(const Node& node) const {
    if (node.op->has(kBatched)) return has_rows(node.inputs[0]);
    if (node.op->has(kElementwise)) return true;
    if (node.op->has(kReduction))
      return has_rows(node.inputs[0]) && !folds_rows(node, meta(node.inputs[0]).shape.rank());
    return node.op == &op_reshape && has_rows(node.inputs[0]);
  }

  // Whether the node reads this input row by row, not as a whole.
  bool is_by_row(const Node& node, uint32_t input) const {
    if (!node.op->has(kElementwise)) return input == 0;
    const ValueId id = node.inputs[input];
    return has_rows(id) && meta(id).shape.rank() == meta(node.first_output).shape.rank();
  }

  // How many rows of the batch a slice may have so that what a layer reads and writes fits the
  // caches; at least 1.
  int64_t rows_that_fit(const Node& node) const {
    int64_t row = bytes(node.first_output) / batch_;
    for (uint32_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] >= 0 && is_by_row(node, i))
        row = std::max(row, bytes(node.inputs[i]) / batch_);
    int64_t rows = std::clamp<int64_t>(kSliceBytes / std::max<int64_t>(row, 1), 1, batch_);
    while (batch_ % rows) --rows;
    return rows;
  }

  // -- Whether it pays

  // Collects the values of the group that are read from outside. True if slicing saves memory
  // enough.
  bool collect_results() {
    std::vector<char> read(from_.values.size());  // from outside
    for (size_t n = 0; n < from_.nodes.size(); ++n)
      for (ValueId id : from_.nodes[n].inputs)
        if (id >= 0 && !taken_[n]) read[id] = 1;
    for (ValueId id : from_.outputs) read[id] = 1;
    int64_t kept = 0, handed_out = 0;
    for (int32_t n : nodes_) {
      const ValueId id = from_.nodes[n].first_output;
      if (!read[id] && bytes(id) >= kLeastBytes) kept += bytes(id);
      if (!read[id]) continue;
      handed_out += bytes(id);
      results_.push_back(id);
    }
    return kept > 4 * handed_out;
  }

  // -- The new graph

  Status copy(Place place) {
    if (place == Place::kBefore)
      for (ValueId id : from_.inputs) map_[id] = to_->add_input(meta(id));
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      const Node& node = from_.nodes[n];
      if (node.kind == NodeKind::kInput || !live_[n] || taken_[n]) continue;
      if (place_[node.first_output] != place) continue;
      copy_node(&sink_, from_, node, apart_[node.first_output], &map_);
    }
    return {};
  }

  Shape sliced(Shape shape) const {
    shape[0] = slice_;
    return shape;
  }

  Status append_loop() {
    const int64_t length = batch_ / slice_;
    MSJIT_TRY(auto body, make_body());
    std::vector<ValueId> in;
    for (ValueId id : rows_) {
      Shape shape = sliced(meta(id).shape);
      shape.insert(0, length);
      in.push_back(words::reshape(sink_.value(map_[id]), shape).id());
    }
    for (ValueId id : whole_) in.push_back(map_[id]);
    MSJIT_OK(sink_.take_error());
    const Attrs attrs = scan_attrs(length, 0, rows_.size(), false);
    const ValueId first = sink_.append(op_scan, in, attrs, scan_outputs(*body, attrs), {body});
    for (size_t i = 0; i < results_.size(); ++i) {
      const Val stacked = sink_.value(first + static_cast<ValueId>(i));
      map_[results_[i]] = words::reshape(stacked, meta(results_[i]).shape).id();
    }
    return sink_.take_error();
  }

  Result<std::shared_ptr<const Graph>> make_body() {
    auto graph = std::make_shared<Graph>();
    graph->name = "slice";
    GraphSink sink(graph);
    std::vector<Val> inside(from_.values.size());
    for (ValueId id : rows_) {
      Meta part = meta(id);
      part.shape = sliced(part.shape);
      inside[id] = sink.input(part);
    }
    for (ValueId id : whole_) inside[id] = sink.input(meta(id));
    for (int32_t n : nodes_) {
      const Node& node = from_.nodes[n];
      Vals in;
      for (ValueId id : node.inputs) {
        if (id >= 0 && !inside[id]) inside[id] = sink.constant(from_.producer(id).constant);
        in.push_back(id < 0 ? Val() : inside[id]);
      }
      const Shape shape = sliced(meta(node.first_output).shape);
      sink.set_location(node.location);
      inside[node.first_output] = node.op == &op_reshape ? words::reshape(in[0], shape)
                                                         : call_in(&sink, *node.op, in, node.attrs);
      MSJIT_OK(sink.take_error());
      if (!(inside[node.first_output].shape() == shape))
        return internal_error("[{}] a slice has another shape, got {}, expected {}", node.op->name,
                              inside[node.first_output].shape().str(), shape.str());
    }
    for (ValueId id : results_) graph->outputs.push_back(inside[id].id());
    return std::shared_ptr<const Graph>(graph);
  }

  // Finds what the body takes from outside: rows_ are sliced, whole_ are read by all slices.
  // Constants are copied into the body. False when one value is read both ways.
  bool find_inputs() {
    std::vector<char> by_row(from_.values.size()), as_whole(from_.values.size());
    for (int32_t n : nodes_) {
      const Node& node = from_.nodes[n];
      for (uint32_t i = 0; i < node.inputs.size(); ++i)
        if (const ValueId id = node.inputs[i]; id >= 0 && !is_inside(id))
          (is_by_row(node, i) ? by_row : as_whole)[id] = 1;
    }
    for (size_t i = 0; i < by_row.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (by_row[i] && as_whole[i]) return false;
      if (by_row[i]) rows_.push_back(id);
      if (as_whole[i] && from_.producer(id).kind != NodeKind::kConstant) whole_.push_back(id);
    }
    return true;
  }

  const Graph& from_;
  const std::vector<bool> live_, apart_;  // by node; by value, see kept_apart()
  Dim batch_ = 0;
  int64_t slice_ = 0;  // rows of a slice
  std::vector<Place> place_;
  std::vector<bool> taken_;  // by node: into the body
  std::vector<int32_t> nodes_;
  std::vector<ValueId> rows_, whole_, results_;
  std::shared_ptr<Graph> to_;
  GraphSink sink_;
  std::vector<ValueId> map_;
};

}  // namespace

Result<bool> slice_batches(Graph& graph) {
  constexpr int kMostLoops = 16;
  const auto bytes = [&](ValueId id) {
    const Meta& meta = graph.meta(id);
    return meta.shape.numel() * item_size(meta.dtype);
  };
  const auto is_large = [&](const Node& node) {
    return node.kind == NodeKind::kOp && node.op->has(kBatched) &&
           std::max(bytes(node.inputs[0]), bytes(node.first_output)) > kSliceBytes;
  };
  if (std::ranges::none_of(graph.nodes, is_large)) return false;
  bool changed = false;
  for (int i = 0; i < kMostLoops; ++i) {
    MSJIT_TRY(bool cut, Slicer(graph).run(&graph));
    if (!cut) break;
    changed = true;
  }
  return changed;
}

}  // namespace msjit
