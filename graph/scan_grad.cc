// The gradient of a scan is a scan over its rows in reverse order. A turn's gradient needs some
// values of that turn. They come from a second forward scan, which computes the results of the
// first one and also stacks these values. merge_scans later replaces the two forward scans by one.
// The gradients of captured values are summed up from turn to turn.
// The gradients of the last turns (scan_turns.h) are computed outside the scan, from the inputs of
// each turn.
#include <algorithm>
#include <map>

#include "graph/autodiff.h"
#include "graph/extract.h"
#include "graph/scan_turns.h"
#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_add, op_logical_or, op_select_index;

namespace {

class ScanGradient {
 public:
  ScanGradient(GraphSink& sink, const Node& node, std::span<const Grad> output_grads,
               std::span<const bool> wanted)
      : sink_(sink),
        node_(node),
        body_(node.subgraphs[0]),
        shape_(scan_shape(node)),
        output_grads_(output_grads),
        wanted_(wanted),
        turns_(body_, shape_, wanted),
        steady_(turns_.steady),
        last_turns_(turns_.last) {}

  Result<ControlGrads> run() {
    MSJIT_OK(turns_.settle(output_grads_));
    MSJIT_OK(split());
    MSJIT_OK(keep());
    for (const Turn& turn : last_turns_) MSJIT_OK(run_last(turn));
    MSJIT_TRY(auto step, make_step());
    if (!step->outputs.empty()) append_step(step);
    ControlGrads found{results(), {}};
    MSJIT_OK(sink_.take_error());
    return found;
  }

 private:
  using Turn = ScanTurns::Turn;

  const Meta& meta(size_t input) const { return turns_.meta(input); }
  bool is_carried(size_t input) const { return turns_.is_carried(input); }
  bool is_scanned(size_t input) const { return turns_.is_scanned(input); }
  ValueId gradient(const Turn& turn, size_t input) const { return turns_.gradient(turn, input); }
  ValueId arrives(const Turn& turn, size_t input) const { return turns_.arrives(turn, input); }
  Arrival arrival(const Turn& turn, size_t input) const { return turns_.arrival(turn, input); }

  // Chooses the values of a turn that its gradient takes (kept_).
  Status split() {
    const Graph& joint = *steady_.vjp.graph;
    std::vector<bool> behind(joint.values.size());  // depends on an incoming gradient
    std::vector<ValueId> required;
    const auto require = [&](ValueId id) {
      if (id >= 0 && !behind[id]) required.push_back(id);
    };
    for (const Node& node : joint.nodes) {
      bool is_behind = node.kind == NodeKind::kInput &&
                       node.input_index >= static_cast<int32_t>(shape_.inputs());
      for (ValueId id : node.inputs) is_behind |= id >= 0 && behind[id];
      for (int32_t i = 0; i < node.num_outputs; ++i) behind[node.first_output + i] = is_behind;
      if (is_behind)
        for (ValueId id : node.inputs) require(id);
    }
    for (ValueId id : steady_.vjp.grads) require(id);
    for (ValueId id : steady_.vjp.arrives) require(id);
    kept_ = choose_residuals(joint, required, steady_.vjp.outputs,
                             std::vector<bool>(joint.values.size()));
    return {};
  }

  // When a kept value is a scanned or captured input of the body: the number of that input. -1: the
  // forward scan has to stack the value.
  int passed_on(ValueId kept) const {
    const Node& node = steady_.vjp.graph->producer(kept);
    const bool stays = node.kind == NodeKind::kInput && !is_carried(size_t(node.input_index));
    return stays ? node.input_index : -1;
  }

  // The place in kept_ of the state that a turn begins with; kept_.size() when it is not there.
  size_t place_of_state(size_t carried) const {
    const ValueId state = steady_.vjp.graph->inputs[carried];
    return static_cast<size_t>(std::ranges::find(kept_, state) - kept_.begin());
  }

  // The output of the original scan that stacks a kept value already; -1: none.
  int stacked_as(ValueId kept) const {
    const std::vector<ValueId>& outputs = steady_.vjp.outputs;
    const auto found =
        std::find(outputs.begin() + std::ptrdiff_t(shape_.carried), outputs.end(), kept);
    return found == outputs.end() ? -1 : static_cast<int>(found - outputs.begin());
  }

  // Appends the second forward scan. It also stacks the kept values of each turn and the states
  // from which the last turns are computed again.
  Status keep() {
    auto body = std::make_shared<Graph>();
    body->name = body_->name;
    GraphSink sink(body);
    const Graph& joint = *steady_.vjp.graph;
    Extractor extract(joint, &sink);
    for (size_t i = 0; i < shape_.inputs(); ++i)
      extract.map(joint.inputs[i], sink.input(meta(i)).id());
    std::vector<ValueId> given = steady_.vjp.outputs;
    for (ValueId id : kept_)
      if (passed_on(id) < 0 && stacked_as(id) < 0) given.push_back(id);
    for (size_t i = 0; i < shape_.carried && !last_turns_.empty(); ++i)
      if (place_of_state(i) == kept_.size()) given.push_back(joint.inputs[i]);
    for (ValueId id : given) {
      if (joint.meta(id).shape.rank() >= kMaxRank)
        return scan_gradient_refused("values of too many dimensions");
      extract.need(id);
    }
    MSJIT_OK(extract.run());
    for (ValueId id : given) body->outputs.push_back(extract.get(id));
    MSJIT_OK(sink.take_error());
    gradients_.resize(shape_.inputs());
    for (size_t i = 0; i < shape_.carried; ++i) gradients_[i] = output_grads_[i];
    const std::vector<Meta> metas = scan_outputs(*body, node_.attrs);
    ValueId next = sink_.append(op_scan, node_.inputs, node_.attrs, metas, {body, body_}) +
                   static_cast<ValueId>(shape_.outputs());
    for (ValueId id : kept_)
      kept_in_.push_back(sink_.value(passed_on(id) >= 0    ? node_.inputs[passed_on(id)]
                                     : stacked_as(id) >= 0 ? node_.first_output + stacked_as(id)
                                                           : next++));
    for (size_t i = 0; i < shape_.carried && !last_turns_.empty(); ++i) {
      const size_t place = place_of_state(i);
      states_.push_back(place < kept_.size() ? kept_in_[place] : sink_.value(next++));
    }
    return sink_.take_error();
  }

  Val row(const Val& stacked, int64_t turn) {
    return call(op_select_index, {stacked}, {AttrValue(shape_.row(turn)), AttrValue(int64_t{0})});
  }

  Status run_last(const Turn& turn) {
    const int64_t number = shape_.length - 1 - done_++;
    Graph graph = *turn.vjp.graph;
    Vals in;
    for (size_t i = 0; i < shape_.inputs(); ++i) {
      const Val value = sink_.value(node_.inputs[i]);
      in.push_back(is_carried(i)   ? row(states_[i], number)
                   : is_scanned(i) ? row(value, number)
                                   : value);
    }
    for (size_t i = 0; i < shape_.outputs(); ++i)
      if (turn.given[i] != Arrival::kNever)
        in.push_back(is_carried(i) ? value_or_zeros(gradients_[i], meta(i))
                                   : row(output_grads_[i].value, number));
    for (size_t i = 0; i < shape_.carried; ++i)
      if (turn.given[i] == Arrival::kSometimes) in.push_back(arrives_in(sink_, gradients_[i]));
    MSJIT_OK(sink_.take_error());
    for (const auto* ids : {&turn.vjp.grads, &turn.vjp.arrives})
      for (ValueId id : *ids)
        if (id >= 0) graph.outputs.push_back(id);
    MSJIT_TRY(Vals found, interpret_on(&sink_, graph, in));
    take_last(turn, found);
    return sink_.take_error();
  }

  // `found`: the gradients of a last turn, then their bools.
  void take_last(const Turn& turn, std::span<const Val> found) {
    size_t next = 0;
    size_t flag = found.size() - static_cast<size_t>(std::ranges::count_if(
                                     turn.vjp.arrives, [](ValueId id) { return id >= 0; }));
    for (size_t i = 0; i < shape_.inputs(); ++i) {
      Grad arrived;
      if (gradient(turn, i) >= 0) arrived.value = found[next++];
      if (arrives(turn, i) >= 0) arrived.arrives = found[flag++];
      if (is_scanned(i))
        last_rows_.push_back(arrived);
      else
        gradients_[i] = is_carried(i) ? arrived : add(gradients_[i], arrived);
    }
  }

  Val value_or_zeros(const Grad& grad, const Meta& like) {
    return grad ? grad.value : words::zeros(&sink_, like);
  }

  // In the order of the inputs and outputs of the step (the body of the gradient's scan).
  std::vector<size_t> carried_gradients() const {
    std::vector<size_t> inputs;
    for (size_t i = 0; i < shape_.carried; ++i)
      if (steady_.given[i] != Arrival::kNever) inputs.push_back(i);
    return inputs;
  }
  std::vector<size_t> gradients_of(bool scanned) const {
    std::vector<size_t> inputs;
    for (size_t i = shape_.carried; i < shape_.inputs(); ++i)
      if (is_scanned(i) == scanned && gradient(steady_, i) >= 0) inputs.push_back(i);
    return inputs;
  }

  // The carried inputs for whose gradients a bool travels.
  std::vector<size_t> carried_flags() const {
    std::vector<size_t> inputs;
    for (size_t i : carried_gradients())
      if (steady_.given[i] == Arrival::kSometimes) inputs.push_back(i);
    return inputs;
  }
  // The other inputs whose gradients may arrive in no turn at all.
  std::vector<size_t> summed_flags() const {
    std::vector<size_t> inputs;
    for (size_t i = shape_.carried; i < shape_.inputs(); ++i)
      if (arrival(steady_, i) == Arrival::kSometimes) inputs.push_back(i);
    return inputs;
  }

  // The step carries gradients of carried values, sums for captured values, and the bools of both.
  Result<std::shared_ptr<const Graph>> make_step() {
    const Graph& joint = *steady_.vjp.graph;
    auto step = std::make_shared<Graph>();
    step->name = joint.name;
    GraphSink sink(step);
    Extractor extract(joint, &sink);
    const auto take = [&](ValueId id) { extract.map(id, sink.input(joint.meta(id)).id()); };
    size_t seed = shape_.inputs();
    for ([[maybe_unused]] size_t i : carried_gradients()) take(joint.inputs[seed++]);
    Vals sums, flags;
    for (size_t i : gradients_of(false))
      sums.push_back(sink.input(joint.meta(gradient(steady_, i))));
    size_t flag = joint.inputs.size() - carried_flags().size();
    for ([[maybe_unused]] size_t i : carried_flags()) take(joint.inputs[flag++]);
    for ([[maybe_unused]] size_t i : summed_flags())
      flags.push_back(sink.input(Tensor::scalar_of(DType::kBool, 0).meta()));
    for (ValueId id : kept_)
      if (!is_capture(id)) take(id);
    for (size_t i = shape_.carried; i < shape_.outputs(); ++i)
      if (steady_.given[i] != Arrival::kNever) take(joint.inputs[seed++]);
    for (ValueId id : kept_)
      if (is_capture(id)) take(id);
    for (const auto* ids : {&steady_.vjp.grads, &steady_.vjp.arrives})
      for (ValueId id : *ids)
        if (id >= 0) extract.need(id);
    MSJIT_OK(extract.run());
    for (const Val& value : step_outputs(sink, extract, sums, flags))
      step->outputs.push_back(value.id());
    MSJIT_OK(sink.take_error());
    return std::shared_ptr<const Graph>(step);
  }

  Vals step_outputs(GraphSink& sink, const Extractor& extract, const Vals& sums,
                    const Vals& flags) const {
    const auto found = [&](size_t i) {
      Grad grad;
      if (const ValueId id = gradient(steady_, i); id >= 0)
        grad.value = sink.value(extract.get(id));
      if (const ValueId id = arrives(steady_, i); id >= 0)
        grad.arrives = sink.value(extract.get(id));
      return grad;
    };
    Vals outputs;
    for (size_t i : carried_gradients()) {
      const Grad grad = found(i);
      outputs.push_back(grad ? grad.value : words::zeros(&sink, meta(i)));
    }
    size_t k = 0;
    for (size_t i : gradients_of(false))
      outputs.push_back(call(op_add, {sums[k++], masked(found(i))}));
    for (size_t i : carried_flags()) outputs.push_back(arrives_in(sink, found(i)));
    k = 0;
    for (size_t i : summed_flags())
      outputs.push_back(call(op_logical_or, {flags[k++], found(i).arrives}));
    for (size_t i : gradients_of(true)) outputs.push_back(masked(found(i)));
    return outputs;
  }

  bool is_capture(ValueId kept) const {
    return passed_on(kept) >= 0 && !is_scanned(static_cast<size_t>(passed_on(kept)));
  }

  // The rows of the turns that the gradient's scan runs for.
  Val rows_left(const Val& stacked) {
    if (done_ == 0) return stacked;
    const Shape& shape = stacked.shape();
    IntList begin, end, step;
    for (int d = 0; d < shape.rank(); ++d) {
      begin.push_back(d == 0 && shape_.reverse ? done_ : 0);
      end.push_back(d == 0 && !shape_.reverse ? shape[0] - done_ : shape[d]);
      step.push_back(1);
    }
    return words::slice(stacked, begin, end, step);
  }

  void append_step(const std::shared_ptr<const Graph>& step) {
    std::vector<ValueId> in;
    size_t carried = 0, scanned = 0;
    for (size_t i : carried_gradients()) in.push_back(value_or_zeros(gradients_[i], meta(i)).id());
    for (size_t i : gradients_of(false)) {
      const Meta& like = steady_.vjp.graph->meta(gradient(steady_, i));
      in.push_back((gradients_[i] ? masked(gradients_[i]) : words::zeros(&sink_, like)).id());
    }
    for (size_t i : carried_flags()) in.push_back(arrives_in(sink_, gradients_[i]).id());
    for (size_t i : summed_flags())
      in.push_back(arrives_in(sink_, is_scanned(i) ? last_arrival(i) : gradients_[i]).id());
    carried = in.size();
    for (size_t k = 0; k < kept_.size(); ++k)
      if (!is_capture(kept_[k])) in.push_back(rows_left(kept_in_[k]).id());
    for (size_t i = shape_.carried; i < shape_.outputs(); ++i)
      if (steady_.given[i] != Arrival::kNever) in.push_back(rows_left(output_grads_[i].value).id());
    scanned = in.size() - carried;
    for (size_t k = 0; k < kept_.size(); ++k)
      if (is_capture(kept_[k])) in.push_back(kept_in_[k].id());
    const Attrs attrs = scan_attrs(shape_.length - done_, carried, scanned, !shape_.reverse);
    ValueId next = sink_.append(op_scan, in, attrs, scan_outputs(*step, attrs), {step});
    for (size_t i : carried_gradients()) gradients_[i] = {sink_.value(next++), {}};
    for (size_t i : gradients_of(false)) gradients_[i] = {sink_.value(next++), {}};
    for (size_t i : carried_flags()) gradients_[i].arrives = sink_.value(next++);
    for (size_t i : summed_flags()) {
      const Val flag = sink_.value(next++);
      (is_scanned(i) ? rows_arrive_[i] : gradients_[i].arrives) = flag;
    }
    for (size_t i : gradients_of(true)) gradients_[i] = {sink_.value(next++), rows_arrive_[i]};
  }

  const Grad& last_row(size_t input, int64_t turn) const {
    return last_rows_[static_cast<size_t>(turn) * shape_.scanned + input - shape_.carried];
  }
  // Whether the gradient of some row of a scanned input arrives in the last turns. Only
  // the bool of the result counts.
  Grad last_arrival(size_t input) {
    Grad any;
    for (int64_t turn = 0; turn < done_; ++turn) {
      const Grad& row = last_row(input, turn);
      if (!row) continue;
      any = any ? Grad{row.value, either_arrives(any.arrives, row.arrives)} : row;
    }
    return any;
  }

  // The gradient of a scanned input: the rows from the gradient's scan and those of the last turns.
  Grad all_rows(size_t input) {
    const Arrival steady = arrival(steady_, input);
    const Grad any = last_arrival(input);
    if (steady == Arrival::kNever && !any) return {};
    Meta rows = sink_.graph()->meta(node_.inputs[input]);
    rows.shape[0] -= done_;
    Vals parts{value_or_zeros(steady == Arrival::kNever ? Grad() : gradients_[input], rows)};
    for (int64_t turn = done_; turn-- > 0;) {
      const Grad& last = last_row(input, turn);
      const Val some = last ? masked(last) : words::zeros(&sink_, meta(input));
      parts.insert(shape_.reverse ? parts.begin() : parts.end(), words::expand_dims(some, 0));
    }
    const Val all = parts.size() == 1 ? parts[0] : words::concat(&sink_, parts, 0);
    if (steady == Arrival::kNever) return {all, any.arrives};
    return {all, gradients_[input].arrives};  // which counts the last turns too
  }

  std::vector<Grad> results() {
    std::vector<Grad> grads(shape_.inputs());
    for (size_t i = 0; i < shape_.inputs(); ++i)
      if (wanted_[i]) grads[i] = is_scanned(i) ? all_rows(i) : gradients_[i];
    return grads;
  }

  GraphSink& sink_;
  const Node& node_;
  const std::shared_ptr<const Graph> body_;
  const ScanShape shape_;
  std::span<const Grad> output_grads_;
  std::span<const bool> wanted_;
  ScanTurns turns_;
  const Turn& steady_;
  const std::vector<Turn>& last_turns_;
  std::vector<ValueId> kept_;    // values of the steady turn's graph
  Vals kept_in_, states_;        // kept values and states of all turns, as values outside the loop
  int64_t done_ = 0;             // number of last turns computed so far
  std::vector<Grad> gradients_;  // by input of the body
  std::vector<Grad> last_rows_;  // of scanned inputs, turn by turn
  std::map<size_t, Val> rows_arrive_;  // by scanned input: whether any row's gradient arrives
};

}  // namespace

Result<ControlGrads> scan_vjp(GraphSink& sink, const Node& node, std::span<const Grad> output_grads,
                              std::span<const bool> wanted) {
  return ScanGradient(sink, node, output_grads, wanted).run();
}

}  // namespace msjit
