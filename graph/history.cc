#include "graph/history.h"

#include <algorithm>

#include "graph/control.h"
#include "graph/grad.h"
#include "kernels/core/gradients.h"

namespace msjit {

namespace {

struct History {
  Arrival state = Arrival::kNever;
  Val flag;  // a bool scalar where the state is kSometimes
};

// Copies a graph and its sub-graphs and adds the bools that tell whether values have a history.
class HistoryTracer {
 public:
  explicit HistoryTracer(const Graph& from)
      : from_(from),
        sink_(std::make_shared<Graph>()),
        map_(from.values.size(), -1),
        histories_(from.values.size()),
        apart_(kept_apart(from, 1)) {
    graph().name = from.name;
  }

  // `states` has one entry per input. The bool of a kSometimes input becomes a new input. Those of
  // the first `leading` inputs come right behind these, the others at the end.
  Status run(std::span<const Arrival> states, size_t leading) {
    add_inputs(states.first(leading), 0);
    add_inputs(states.subspan(leading), leading);
    for (const Node& node : from_.nodes) MSJIT_OK(copy(node));
    for (ValueId id : from_.outputs) graph().outputs.push_back(map_[id]);
    return sink_.take_error();
  }

  Graph& graph() { return *sink_.graph(); }
  const std::shared_ptr<Graph>& share() const { return sink_.graph(); }
  Arrival state(size_t output) const { return histories_[from_.outputs[output]].state; }
  int add_flag(size_t output) {
    graph().outputs.push_back(flag_of(histories_[from_.outputs[output]]).id());
    return static_cast<int>(graph().outputs.size()) - 1;
  }

 private:
  void add_inputs(std::span<const Arrival> states, size_t first) {
    for (size_t i = 0; i < states.size(); ++i) {
      const ValueId id = from_.inputs[first + i];
      map_[id] = sink_.input(from_.meta(id)).id();
      histories_[id].state = states[i];
    }
    for (size_t i = 0; i < states.size(); ++i)
      if (states[i] == Arrival::kSometimes)
        histories_[from_.inputs[first + i]].flag =
            sink_.input(Tensor::scalar_of(DType::kBool, 0).meta());
  }

  Val flag_of(const History& history) {
    if (history.flag) return history.flag;
    return sink_.constant(Tensor::scalar_of(DType::kBool, history.state == Arrival::kAlways));
  }

  Status copy(const Node& node) {
    if (node.kind == NodeKind::kInput) return {};
    if (node.kind == NodeKind::kConstant) {
      map_[node.first_output] = sink_.constant(node.constant).id();
      return {};
    }
    std::vector<ValueId> in;
    for (ValueId id : node.inputs) in.push_back(id < 0 ? -1 : map_[id]);
    sink_.set_merging(!apart_[node.first_output]);
    if (is_if(node)) return copy_if(node, std::move(in));
    if (is_while(node)) return copy_while(node, std::move(in));
    if (is_scan(node)) return copy_scan(node, in);
    const History history = node.op->has(kNoGrad) ? History() : of_inputs(node);
    bind(node, sink_.append_like(from_, node, in),
         std::vector<History>(static_cast<size_t>(node.num_outputs), history));
    return {};
  }

  void bind(const Node& node, ValueId first, const std::vector<History>& histories) {
    sink_.set_merging(true);
    for (int32_t i = 0; i < node.num_outputs; ++i) {
      const ValueId id = node.first_output + i;
      map_[id] = first + i;
      if (node.is_control() ||
          carries_gradient(*node.op, static_cast<size_t>(i), from_.meta(id).dtype))
        histories_[id] = histories[static_cast<size_t>(i)];
    }
  }

  History of_inputs(const Node& node) {
    History result;
    for (ValueId id : node.inputs) {
      if (id < 0 || histories_[id].state == Arrival::kNever) continue;
      if (histories_[id].state == Arrival::kAlways) return histories_[id];
      result.flag =
          result.flag ? either_arrives(result.flag, histories_[id].flag) : histories_[id].flag;
      result.state = Arrival::kSometimes;
    }
    return result;
  }

  std::vector<Arrival> states_of(std::span<const ValueId> ids) const {
    std::vector<Arrival> states;
    for (ValueId id : ids) states.push_back(histories_[id].state);
    return states;
  }

  // The bools that a control node hands to its sub-graphs for those inputs.
  void append_flags(std::span<const ValueId> ids, std::span<const Arrival> states,
                    std::vector<ValueId>* in) {
    for (size_t i = 0; i < ids.size(); ++i)
      if (states[i] == Arrival::kSometimes) in->push_back(flag_of(histories_[ids[i]]).id());
  }

  // Appends a node with these sub-graphs. Their last outputs are the bools of the results that
  // sometimes have a history.
  void append(const Node& node, const std::vector<ValueId>& in,
              const GraphSink::Subgraphs& subgraphs, std::vector<History> histories) {
    const ValueId first =
        sink_.append(*node.op, in, node.attrs, control_outputs(*node.op, subgraphs), subgraphs);
    ValueId next = first + node.num_outputs;
    for (History& history : histories)
      if (history.state == Arrival::kSometimes) history.flag = sink_.value(next++);
    bind(node, first, histories);
  }

  Status copy_if(const Node& node, std::vector<ValueId> in) {
    const std::span<const ValueId> ids(node.inputs.begin() + 1, node.inputs.end());
    const std::vector<Arrival> states = states_of(ids);
    std::vector<std::unique_ptr<HistoryTracer>> arms;
    for (const auto& graph : node.subgraphs) {
      arms.push_back(std::make_unique<HistoryTracer>(*graph));
      MSJIT_OK(arms.back()->run(states, states.size()));
    }
    std::vector<History> histories;
    bool sometimes = false;
    for (size_t i = 0; i < static_cast<size_t>(node.num_outputs); ++i) {
      const Arrival a = arms[0]->state(i), b = arms[1]->state(i);
      histories.push_back({a == b ? a : Arrival::kSometimes, {}});
      if (histories[i].state != Arrival::kSometimes) continue;
      sometimes = true;
      for (auto& arm : arms) arm->add_flag(i);
    }
    sink_.set_location(node.location);
    if (!sometimes) {
      bind(node, sink_.append_like(from_, node, in), histories);
      return {};
    }
    append_flags(ids, states, &in);
    append(node, in, {arms[0]->share(), arms[1]->share()}, std::move(histories));
    return {};
  }

  // The bool of a carried value may change from one iteration to the next, so the loop carries it
  // too.
  Status copy_while(const Node& node, std::vector<ValueId> in) {
    const auto carried = static_cast<size_t>(node.num_outputs);
    std::vector<Arrival> states = states_of({node.inputs.begin(), node.inputs.end()});
    std::unique_ptr<HistoryTracer> body;
    for (bool settled = false; !settled;) {
      settled = true;
      body = std::make_unique<HistoryTracer>(*node.subgraphs[0]);
      MSJIT_OK(body->run(states, carried));
      for (size_t i = 0; i < carried; ++i) {
        if (states[i] == Arrival::kSometimes || states[i] == body->state(i + 1)) continue;
        states[i] = Arrival::kSometimes;
        settled = false;
      }
    }
    std::vector<History> histories;
    bool sometimes = false;
    for (size_t i = 0; i < carried; ++i) {
      histories.push_back({body->state(i + 1), {}});
      sometimes |= histories[i].state == Arrival::kSometimes;
    }
    sink_.set_location(node.location);
    if (!sometimes) {
      bind(node, sink_.append_like(from_, node, in), histories);
      return {};
    }
    const std::vector<ValueId> captured(in.begin() + static_cast<ptrdiff_t>(carried), in.end());
    in.resize(carried);
    const std::span<const ValueId> ids(node.inputs.begin(), node.inputs.end());
    append_flags(ids.first(carried), states, &in);
    in.insert(in.end(), captured.begin(), captured.end());
    append_flags(ids.subspan(carried), std::span(states).subspan(carried), &in);
    for (size_t i = 0; i < carried; ++i) {
      if (states[i] == Arrival::kSometimes) body->add_flag(i + 1);
      if (states[i] == Arrival::kSometimes) histories[i].state = Arrival::kSometimes;
    }
    append(node, in, {body->share()}, std::move(histories));
    return {};
  }

  // Refuses a scan in which a value has a history in some turns only. Results that a gradient's
  // scan adds (see "extends") count as without history.
  Status copy_scan(const Node& node, const std::vector<ValueId>& in) {
    const ScanShape shape = scan_shape(node);
    const size_t asked = node.subgraphs.back()->outputs.size();
    std::vector<Arrival> states = states_of({node.inputs.begin(), node.inputs.end()});
    std::vector<History> histories[2];
    bool sometimes = std::ranges::count(states, Arrival::kSometimes) > 0;
    for (auto& turn : histories) {
      HistoryTracer body(*node.subgraphs[0]);
      if (!sometimes) MSJIT_OK(body.run(states, shape.inputs()));
      for (size_t i = 0; i < shape.outputs() && !sometimes; ++i) {
        turn.push_back({i < asked ? body.state(i) : Arrival::kNever, {}});
        if (i < shape.carried) states[i] = body.state(i);
      }
    }
    for (size_t i = 0; i < shape.outputs() && !sometimes; ++i)
      sometimes = histories[0][i].state != histories[1][i].state ||
                  histories[0][i].state == Arrival::kSometimes;
    if (sometimes)
      return not_implemented_error(
          "[scan] history of a value, got one in only some turns of the loop, expected one in all "
          "or none");
    sink_.set_location(node.location);
    bind(node, sink_.append_like(from_, node, in), histories[0]);
    return {};
  }

  const Graph& from_;
  GraphSink sink_;
  std::vector<ValueId> map_;
  std::vector<History> histories_;
  std::vector<bool> apart_;
};

}  // namespace

Result<std::vector<int>> add_histories(std::shared_ptr<Graph>* forward,
                                       std::span<const bool> tracked,
                                       std::span<const int> results) {
  const auto& nodes = (*forward)->nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node& n) { return n.is_control(); }))
    return std::vector<int>(results.size(), -1);
  std::vector<Arrival> states;
  for (bool flag : tracked) states.push_back(flag ? Arrival::kAlways : Arrival::kNever);
  HistoryTracer tracer(**forward);
  MSJIT_OK(tracer.run(states, states.size()));
  std::vector<int> flags;
  bool any = false;
  for (int result : results) {
    const bool always = tracer.state(static_cast<size_t>(result)) == Arrival::kAlways;
    flags.push_back(always ? -1 : tracer.add_flag(static_cast<size_t>(result)));
    any |= !always;
  }
  if (any) *forward = tracer.share();
  return flags;
}

}  // namespace msjit
