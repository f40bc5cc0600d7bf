// Several products with one right-hand matrix become one product of all their rows: x1 w, x2 w, ...
// become slices of [x1; x2; ...] w. The steps of an unrolled loop multiply their parts of the input
// by one weight; stacked, they read the weight once.
#include <algorithm>
#include <map>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_linear, op_matmul;

namespace {

constexpr size_t kLeastProducts = 4;
constexpr int64_t kMostRows = 64;  // of one product; more keep the processor busy by themselves
constexpr int64_t kLeastWeight = 1 << 12, kMostResult = 1 << 22;  // elements
constexpr int kMostGroups = 16;

// Nodes with the same second operand, in order.
using Group = std::vector<int32_t>;

bool is_product(const Graph& graph, const Node& node) {
  if (node.kind != NodeKind::kOp || (node.op != &op_linear && node.op != &op_matmul)) return false;
  if (node.op == &op_matmul && node.attrs[0].as_bool()) return false;  // its rows are columns
  const Meta& left = graph.meta(node.inputs[0]);
  const Meta& right = graph.meta(node.inputs[1]);
  return (left.dtype == DType::kFloat32 || left.dtype == DType::kFloat64) &&
         left.shape.rank() == 2 && right.shape.rank() == 2 && left.shape[0] > 0 &&
         left.shape[0] <= kMostRows && right.shape.numel() >= kLeastWeight;
}

bool multiply_alike(const Node& a, const Node& b) {
  return a.op == b.op && a.attrs == b.attrs &&
         std::equal(a.inputs.begin() + 1, a.inputs.end(), b.inputs.begin() + 1, b.inputs.end());
}

// Copies a graph and replaces one group by a stacked product. First copies what the group depends
// on.
class Stacker {
 public:
  Stacker(const Graph& from, const Group& group, const std::vector<bool>& live,
          const std::vector<bool>& apart)
      : from_(from),
        group_(group),
        live_(live),
        apart_(apart),
        member_(from.nodes.size()),
        done_(from.nodes.size()),
        to_(std::make_shared<Graph>()),
        sink_(to_),
        map_(from.values.size(), -1) {
    for (int32_t n : group) member_[n] = true;
  }

  Status run(Graph* result) {
    to_->name = from_.name;
    for (ValueId id : from_.inputs) map_[id] = to_->add_input(from_.meta(id));
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      if (!live_[n] || done_[n]) continue;
      if (!member_[n]) {
        copy(n);
        continue;
      }
      copy_operands();
      MSJIT_OK(stack());
    }
    for (ValueId id : from_.outputs) to_->outputs.push_back(map_[id]);
    *result = std::move(*to_);
    return {};
  }

 private:
  void copy(size_t n) {
    done_[n] = true;
    const Node& node = from_.nodes[n];
    if (node.kind == NodeKind::kInput) return;
    copy_node(&sink_, from_, node, apart_[node.first_output], &map_);
  }

  void copy_operands() {
    std::vector<bool> needed(from_.nodes.size());
    for (int32_t n : group_)
      for (ValueId id : from_.nodes[n].inputs)
        if (id >= 0) needed[from_.values[id].node] = true;
    mark_inputs(from_, &needed);
    for (size_t n = 0; n < needed.size(); ++n)
      if (needed[n] && !done_[n]) copy(n);
  }

  Status stack() {
    const Node& first = from_.nodes[group_[0]];
    sink_.set_location(first.location);
    std::vector<Val> rows;
    for (int32_t n : group_) rows.push_back(sink_.value(map_[from_.nodes[n].inputs[0]]));
    Vals in = {words::concat(&sink_, rows, 0)};
    for (size_t i = 1; i < first.inputs.size(); ++i) {
      const ValueId id = first.inputs[i];
      in.push_back(id < 0 ? Val() : sink_.value(map_[id]));
    }
    const Val all = call_in(&sink_, *first.op, in, first.attrs);
    MSJIT_OK(sink_.take_error());
    int64_t begin = 0;
    for (size_t i = 0; i < group_.size(); ++i) {
      const Node& node = from_.nodes[group_[i]];
      const int64_t end = begin + rows[i].shape()[0];
      const Val part = words::slice(all, {begin, 0}, {end, all.shape()[1]}, {1, 1});
      MSJIT_OK(sink_.take_error());
      if (!(sink_.meta(part) == from_.meta(node.first_output)))
        return internal_error("[stack_products] a slice has another shape or dtype");
      map_[node.first_output] = part.id();
      done_[group_[i]] = true;
      begin = end;
    }
    return {};
  }

  const Graph& from_;
  const Group& group_;
  const std::vector<bool>&live_, &apart_;  // by node; by value, see kept_apart()
  std::vector<bool> member_, done_;        // by node
  std::shared_ptr<Graph> to_;
  GraphSink sink_;
  std::vector<ValueId> map_;
};

// Drops a product that depends on another one of the group. Also drops one that depends on a node
// behind the group's first product that must keep its place (it draws or writes).
Group independent(const Graph& graph, const Group& group) {
  Group kept;
  std::vector<bool> bound(graph.nodes.size());
  auto next = group.begin();
  for (auto n = static_cast<size_t>(group[0]); n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    bound[n] = node.kind == NodeKind::kOp && (!node.op->has(kPure) || node.op->has(kRandom));
    for (ValueId id : node.inputs)
      if (id >= 0 && bound[graph.values[id].node]) bound[n] = true;
    if (next == group.end() || static_cast<size_t>(*next) != n) continue;
    if (!bound[n]) kept.push_back(*next);
    bound[n] = true;
    ++next;
  }
  return kept;
}

bool is_worth_it(const Graph& graph, const Group& group) {
  int64_t elements = 0;
  for (int32_t n : group) elements += graph.meta(graph.nodes[n].first_output).shape.numel();
  return group.size() >= kLeastProducts && elements <= kMostResult;
}

Group find_group(const Graph& graph, const std::vector<bool>& live,
                 const std::vector<bool>& apart) {
  std::map<ValueId, std::vector<Group>> groups;  // by second operand
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (!live[n] || !is_product(graph, node) || apart[node.first_output]) continue;
    auto& with_it = groups[node.inputs[1]];
    const auto known = std::ranges::find_if(
        with_it, [&](const Group& group) { return multiply_alike(graph.nodes[group[0]], node); });
    (known != with_it.end() ? *known : with_it.emplace_back()).push_back(static_cast<int32_t>(n));
  }
  for (const auto& [operand, with_it] : groups)
    for (const Group& group : with_it)
      if (is_worth_it(graph, group))
        if (Group kept = independent(graph, group); is_worth_it(graph, kept)) return kept;
  return {};
}

}  // namespace

Result<bool> stack_products(Graph& graph) {
  const auto candidates =
      std::ranges::count_if(graph.nodes, [&](const Node& n) { return is_product(graph, n); });
  if (candidates < static_cast<int64_t>(kLeastProducts)) return false;
  for (int i = 0; i < kMostGroups; ++i) {
    const std::vector<bool> live = live_nodes(graph), apart = kept_apart(graph);
    const Group group = find_group(graph, live, apart);
    if (group.empty()) return i > 0;
    Graph result;
    MSJIT_OK(Stacker(graph, group, live, apart).run(&result));
    graph = std::move(result);
  }
  return true;
}

}  // namespace msjit
