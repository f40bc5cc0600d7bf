// Replaces a sum of matrix products by one product of stacked operands: a1ᵀ b1 + a2ᵀ b2 + ... =
// [a1; a2; ...]ᵀ [b1; b2; ...]. The gradient of a weight that an unrolled loop uses in each step is
// such a sum. Each term is as large as the weight, while its operands are only as large as the data
// of one step. The terms are added in another order, so the last bits may change.
#include <algorithm>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "graph/rewrite.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add, op_matmul;

namespace {

constexpr size_t kLeastTerms = 4;

class ProductJoiner {
 public:
  explicit ProductJoiner(const Graph& graph)
      : from_(graph),
        live_(live_nodes(graph)),
        apart_(kept_apart(graph)),
        uses_(graph.values.size()),
        sum_at_(graph.nodes.size(), -1),
        seen_(graph.nodes.size()),
        gone_(graph.nodes.size()),
        to_(std::make_shared<Graph>()),
        sink_(to_),
        map_(graph.values.size(), -1) {}

  Result<bool> run(Graph* result) {
    count_uses();
    for (size_t n = from_.nodes.size(); n-- > 0;)
      if (live_[n] && !seen_[n] && is_add(from_.nodes[n])) find_sum(static_cast<int32_t>(n));
    if (sums_.empty()) return false;
    MSJIT_OK(copy());
    *result = std::move(*to_);
    return true;
  }

 private:
  struct Sum {
    std::vector<const Node*> products;
    std::vector<ValueId> others;
    std::vector<int32_t> nodes;  // these and the additions
  };

  void count_uses() {
    for (size_t n = 0; n < from_.nodes.size(); ++n)
      for (ValueId id : from_.nodes[n].inputs)
        if (id >= 0 && live_[n]) ++uses_[id];
    for (ValueId id : from_.outputs) ++uses_[id];
  }

  bool is_add(const Node& node) const {
    if (node.kind != NodeKind::kOp || node.op != &op_add || apart_[node.first_output]) return false;
    const Meta& meta = from_.meta(node.first_output);
    if (meta.dtype != DType::kFloat32 && meta.dtype != DType::kFloat64) return false;
    return meta.shape.rank() == 2 &&
           std::ranges::all_of(node.inputs, [&](ValueId id) { return from_.meta(id) == meta; });
  }

  // A product of transposed columns: both operands have the summed axis first, so they can be
  // stacked.
  bool is_product(const Node& node) const {
    if (node.kind != NodeKind::kOp || node.op != &op_matmul || apart_[node.first_output])
      return false;
    if (!node.attrs[0].as_bool() || node.attrs[1].as_bool()) return false;
    return from_.meta(node.inputs[0]).shape.rank() == 2 &&
           from_.meta(node.inputs[1]).shape.rank() == 2;
  }

  bool is_part(ValueId id) const { return uses_[id] == 1; }

  void find_sum(int32_t root) {
    Sum sum;
    std::vector<int32_t> pending = {root};
    int64_t terms = 0, operands = 0;  // elements
    while (!pending.empty()) {
      const Node& node = from_.nodes[pending.back()];
      sum.nodes.push_back(pending.back());
      pending.pop_back();
      for (ValueId id : node.inputs) {
        const Node& term = from_.producer(id);
        const int32_t made = from_.values[id].node;
        if (is_part(id) && is_add(term)) {
          pending.push_back(made);
        } else if (is_part(id) && is_product(term)) {
          sum.products.push_back(&term);
          sum.nodes.push_back(made);
          terms += from_.meta(id).shape.numel();
          for (ValueId operand : term.inputs) operands += from_.meta(operand).shape.numel();
        } else {
          sum.others.push_back(id);
        }
      }
    }
    for (int32_t n : sum.nodes) seen_[n] = true;
    if (sum.products.size() < kLeastTerms || operands >= terms) return;
    for (int32_t n : sum.nodes) gone_[n] = n != root;
    sum_at_[root] = static_cast<int32_t>(sums_.size());
    // In the program's order.
    std::ranges::sort(sum.products, {}, [](const Node* node) { return node->first_output; });
    std::ranges::sort(sum.others);
    sums_.push_back(std::move(sum));
  }

  Status copy() {
    to_->name = from_.name;
    for (ValueId id : from_.inputs) map_[id] = to_->add_input(from_.meta(id));
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      const Node& node = from_.nodes[n];
      if (node.kind == NodeKind::kInput || !live_[n] || gone_[n]) continue;
      if (sum_at_[n] < 0) {
        copy_node(&sink_, from_, node, apart_[node.first_output], &map_);
        continue;
      }
      sink_.set_location(node.location);
      MSJIT_OK(join(sums_[sum_at_[n]], node.first_output));
    }
    for (ValueId id : from_.outputs) to_->outputs.push_back(map_[id]);
    return {};
  }

  Status join(const Sum& sum, ValueId result) {
    std::vector<Val> left, right;
    for (const Node* product : sum.products) {
      left.push_back(sink_.value(map_[product->inputs[0]]));
      right.push_back(sink_.value(map_[product->inputs[1]]));
    }
    Val total =
        words::matmul(words::concat(&sink_, left, 0), words::concat(&sink_, right, 0), true);
    for (ValueId id : sum.others) total = words::add(total, sink_.value(map_[id]));
    MSJIT_OK(sink_.take_error());
    if (!(sink_.meta(total) == from_.meta(result)))
      return internal_error("[join_products] the joined product has another shape or dtype");
    map_[result] = total.id();
    return {};
  }

  const Graph& from_;
  const std::vector<bool> live_, apart_;  // by node; by value, see kept_apart()
  std::vector<int> uses_;
  std::vector<Sum> sums_;
  std::vector<int32_t> sum_at_;  // by node: the sum whose value it is, or -1
  std::vector<bool> seen_;       // by node: part of a sum that has been looked at
  std::vector<bool> gone_;       // by node: the joined product takes its place
  std::shared_ptr<Graph> to_;
  GraphSink sink_;
  std::vector<ValueId> map_;
};

}  // namespace

Result<bool> join_products(Graph& graph) {
  const auto is_matmul = [](const Node& node) { return node.op == &op_matmul; };
  if (std::ranges::count_if(graph.nodes, is_matmul) < static_cast<int64_t>(kLeastTerms))
    return false;
  Graph result;
  MSJIT_TRY(const bool joined, ProductJoiner(graph).run(&result));
  if (joined) graph = std::move(result);
  return joined;
}

}  // namespace msjit
