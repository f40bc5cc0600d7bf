#include "graph/rewrite.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "graph/control.h"
#include "graph/passes/passes.h"
#include "kernels/core/log.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

constexpr int kMaxRounds = 8;

// Reads element 0 of a constant all of whose elements are equal.
bool uniform_value(const Tensor& t, double* value) {
  int64_t n = t.numel();
  if (n == 0 || n > kMaxPrintedConstant || !t.contiguous() || is_complex(t.dtype()) ||
      !t.device().is_host())
    return false;
  return dispatch_dtype(t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* data = t.data_as<T>();
    const auto* bytes = t.data_as<char>();  // tells -0.0 from 0.0
    for (int64_t i = 1; i < n; ++i)
      if (std::memcmp(bytes + i * sizeof(T), bytes, sizeof(T)) != 0) return false;
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
      if (data[0] > T(int64_t{1} << 53)) return false;
      if (std::is_signed_v<T> && data[0] < T(-(int64_t{1} << 53))) return false;
    }
    *value = static_cast<double>(data[0]);
    return true;
  });
}

class Rebuilder {
 public:
  Rebuilder(const Graph& from, const RuleTable& rules, NodeTest expands = nullptr)
      : from_(from),
        rules_(rules),
        expands_(expands),
        to_(std::make_shared<Graph>()),
        sink_(to_),
        map_(from.values.size(), -1),
        apart_(kept_apart(from)) {}

  Result<bool> run(Graph* result) {
    to_->name = from_.name;
    count_uses();
    std::vector<bool> live = live_nodes(from_);
    for (ValueId id : from_.inputs) bind(id, to_->add_input(from_.meta(id)));
    for (size_t n = 0; n < from_.nodes.size(); ++n) {
      const Node& node = from_.nodes[n];
      if (node.kind == NodeKind::kInput || !live[n]) continue;
      MSJIT_OK(node.kind == NodeKind::kConstant ? constant(node) : op(node));
    }
    for (ValueId id : from_.outputs) to_->outputs.push_back(map_[id]);
    *result = std::move(*to_);
    return fired_;
  }

 private:
  void count_uses() {
    from_uses_.assign(from_.values.size(), 0);
    for (const Node& node : from_.nodes)
      for (ValueId id : node.inputs)
        if (id >= 0) ++from_uses_[id];
    for (ValueId id : from_.outputs) ++from_uses_[id];
  }

  void bind(ValueId from, ValueId to) {
    map_[from] = to;
    if (apart_[from]) apart_to_.push_back(to);
    if (static_cast<size_t>(to) >= uses_.size()) uses_.resize(to + 1, 0);
    uses_[to] += from_uses_[from];
  }

  Status constant(const Node& node) {
    bind(node.first_output, sink_.constant(node.constant).id());
    return {};
  }

  Status op(const Node& node) {
    InlineVec<ValueId, 6> in;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : map_[id]);
    sink_.set_location(node.location);
    const bool apart = apart_[node.first_output];
    if (node.num_outputs == 1 && node.op->has(kPure) && !node.op->has(kRandom) &&
        !node.is_control() && !apart) {
      if (Val replacement = rewrite(node, in)) {
        bind(node.first_output, replacement.id());
        return {};
      }
    }
    if (expands_ && node.op->composite && expands_(from_, node) && expand(node, in)) return {};
    sink_.set_merging(!apart);
    ValueId first = sink_.append_like(from_, node, in);
    sink_.set_merging(true);
    for (int32_t i = 0; i < node.num_outputs; ++i) bind(node.first_output + i, first + i);
    return {};
  }

  // Whether the composite has replaced the node.
  bool expand(const Node& node, std::span<const ValueId> in) {
    Vals inputs;
    for (ValueId id : in) inputs.push_back(id < 0 ? Val() : sink_.value(id));
    const Vals results = node.op->expand(&sink_, inputs, node.attrs);
    if (Status status = sink_.take_error(); !status.ok()) return false;
    if (static_cast<int32_t>(results.size()) != node.num_outputs) return false;
    for (int32_t i = 0; i < node.num_outputs; ++i)
      if (apart_[node.first_output + i] || is_apart(results[i].id()) ||
          !(sink_.meta(results[i]) == from_.meta(node.first_output + i)))
        return false;
    for (int32_t i = 0; i < node.num_outputs; ++i) bind(node.first_output + i, results[i].id());
    return fired_ = true;
  }

  Val rewrite(const Node& node, std::span<const ValueId> in) {
    const bool is_output = std::find(from_.outputs.begin(), from_.outputs.end(),
                                     node.first_output) != from_.outputs.end();
    for (const OpDef* key : {node.op, static_cast<const OpDef*>(nullptr)}) {
      for (const Rule* rule : rules_.of(key)) {
        const Meta& meta = from_.meta(node.first_output);
        Val answer = rule->apply(Match(&sink_, node, in, meta, uses_, is_output));
        if (Status status = sink_.take_error(); !status.ok()) {
          MSJIT_LOGF(LogTopic::kPasses, "{}: {} failed: {}", from_.name, rule->name,
                     status.error().message);
          continue;
        }
        if (!answer || !(sink_.meta(answer) == meta) || is_apart(answer.id())) continue;
        MSJIT_LOGF(LogTopic::kPasses, "{}: {} on {}", from_.name, rule->name,
                   print_node(from_, node));
        fired_ = true;
        return answer;
      }
    }
    return {};
  }

  bool is_apart(ValueId to) const {
    return std::find(apart_to_.begin(), apart_to_.end(), to) != apart_to_.end();
  }

  const Graph& from_;
  const RuleTable& rules_;
  const NodeTest expands_;
  std::shared_ptr<Graph> to_;
  GraphSink sink_;
  std::vector<ValueId> map_;
  std::vector<bool> apart_;        // by value of `from_`: see kept_apart()
  std::vector<ValueId> apart_to_;  // the same values in `to_`
  std::vector<int> from_uses_;
  std::vector<int> uses_;  // of the new graph's values; counts uses by nodes not rebuilt yet
  bool fired_ = false;
};

}  // namespace

RuleTable::RuleTable(std::initializer_list<std::span<const Rule>> families) {
  for (std::span<const Rule> rules : families)
    for (const Rule& rule : rules) {
      const OpDef* op = rule.op ? find_op(rule.op) : nullptr;
      if (op || !rule.op) rules_[op].push_back(&rule);
    }
}

std::span<const Rule* const> RuleTable::of(const OpDef* op) const {
  const auto found = rules_.find(op);
  return found == rules_.end() ? std::span<const Rule* const>() : found->second;
}

bool RuleTable::concerns(const Graph& graph) const {
  return !of(nullptr).empty() || std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return node.kind == NodeKind::kOp && !of(node.op).empty();
  });
}

const Node* Match::maker(ValueId id) const {
  if (id < 0) return nullptr;
  const Node& node = graph().producer(id);
  return node.kind == NodeKind::kOp ? &node : nullptr;
}

const Node* Match::maker(ValueId id, std::string_view op) const {
  const Node* node = maker(id);
  return node && op == node->op->name ? node : nullptr;
}

bool Match::constant_value(ValueId id, double* value) const {
  while (const Node* node = maker(id, "broadcast_to")) id = node->inputs[0];
  if (id < 0 || graph().producer(id).kind != NodeKind::kConstant) return false;
  if (is_complex(meta().dtype)) return false;  // the rules are for real numbers
  return uniform_value(graph().producer(id).constant, value);
}

bool Match::is_constant(ValueId id, double value) const {
  double got;
  return constant_value(id, &got) && std::bit_cast<int64_t>(got) == std::bit_cast<int64_t>(value);
}

void mark_inputs(const Graph& graph, std::vector<bool>* nodes) {
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    if (!(*nodes)[n]) continue;
    for (ValueId id : graph.nodes[n].inputs)
      if (id >= 0) (*nodes)[graph.values[id].node] = true;
  }
}

std::vector<bool> live_nodes(const Graph& graph) {
  std::vector<bool> live(graph.nodes.size());
  for (size_t n = 0; n < live.size(); ++n) {
    const Node& node = graph.nodes[n];
    live[n] = (node.kind == NodeKind::kInput && node.input_index >= 0) ||
              (node.kind == NodeKind::kOp && (!node.op->has(kPure) || node.op->has(kRandom)));
  }
  for (ValueId id : graph.outputs) live[graph.values[id].node] = true;
  mark_inputs(graph, &live);
  return live;
}

void copy_node(GraphSink* sink, const Graph& from, const Node& node, bool apart,
               std::vector<ValueId>* map) {
  sink->set_location(node.location);
  if (node.kind == NodeKind::kConstant) {
    (*map)[node.first_output] = sink->constant(node.constant).id();
    return;
  }
  InlineVec<ValueId, 6> in;
  for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : (*map)[id]);
  sink->set_merging(!apart);
  const ValueId first = sink->append_like(from, node, in);
  sink->set_merging(true);
  for (int32_t i = 0; i < node.num_outputs; ++i) (*map)[node.first_output + i] = first + i;
}

Result<bool> rebuild(Graph& graph) {
  size_t before = graph.nodes.size();
  Graph result;
  const RuleTable none;
  Result<bool> done = Rebuilder(graph, none).run(&result);
  if (!done.ok()) return done;
  graph = std::move(result);
  return graph.nodes.size() != before;
}

Result<bool> expand_composites(Graph& graph, NodeTest wanted) {
  if (std::ranges::none_of(graph.nodes, [&](const Node& node) {
        return node.kind == NodeKind::kOp && !node.is_control() && wanted(graph, node);
      }))
    return false;
  Graph result;
  const RuleTable none;
  MSJIT_TRY(const bool fired, Rebuilder(graph, none, wanted).run(&result));
  graph = std::move(result);
  if (fired) MSJIT_OK(dead_code(graph));
  return fired;
}

Result<bool> apply_rules(Graph& graph, const RuleTable& rules) {
  if (!rules.concerns(graph)) return false;
  bool changed = false;
  for (int round = 0; round < kMaxRounds; ++round) {
    Graph result;
    MSJIT_TRY(bool fired, Rebuilder(graph, rules).run(&result));
    if (!fired) break;
    graph = std::move(result);
    changed = true;
  }
  if (changed) MSJIT_OK(dead_code(graph));
  return changed;
}

}  // namespace msjit
