#include "codegen/plan.h"

#include <algorithm>
#include <map>

#include "codegen/body_plans.h"
#include "codegen/fusion.h"
#include "graph/control.h"

namespace msjit {

extern const OpDef op_cast, op_conv2d, op_linear, op_linear_act;

namespace {

// Casts of graph inputs that are only read as weights. Their results can be kept from run to run,
// unless the run writes over that input.
std::vector<char> find_kept_casts(const Graph& graph, std::span<const Overwrite> overwrites) {
  std::vector<char> kept(graph.values.size());
  for (const Node& node : graph.nodes) {
    if (node.op != &op_cast) continue;
    const Node& made = graph.producer(node.inputs[0]);
    const bool written = std::ranges::any_of(
        overwrites, [&](const Overwrite& over) { return over.input == made.input_index; });
    kept[node.first_output] = made.kind == NodeKind::kInput && !written &&
                              is_float(graph.meta(node.inputs[0]).dtype) &&
                              is_float(graph.meta(node.first_output).dtype);
  }
  for (const Node& node : graph.nodes) {
    const bool has_weight =
        node.op == &op_linear || node.op == &op_linear_act || node.op == &op_conv2d;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] >= 0 && !(has_weight && i == 1)) kept[node.inputs[i]] = 0;
  }
  for (ValueId id : graph.outputs) kept[id] = 0;
  return kept;
}

class Planner {
 public:
  Planner(std::shared_ptr<const Graph> graph, const Graph& original, bool nested, bool open_sizes)
      : keep_(graph),
        graph_(*graph),
        original_(original),
        nested_(nested),
        plan_(std::make_shared<Plan>()) {
    plan_->graph = std::move(graph);
    plan_->open_sizes = open_sizes;
  }

  Result<std::shared_ptr<const Plan>> run(const Plan* like) {
    groups_ = fuse(graph_);
    find_escapes();
    const bool on_host = device_of(graph_).is_host();
    kept_casts_ = nested_ || !on_host ? std::vector<char>(graph_.values.size())
                                      : find_kept_casts(graph_, original_.overwrites);
    add_inputs();
    for (const FusionGroup& group : groups_) MSJIT_OK(add_step(group));
    MSJIT_OK(add_outputs());
    plan_commit(plan_.get(), nested_ ? std::span<const Overwrite>() : original_.overwrites,
                original_.writes_early);
    stream_outputs();
    if (on_host) choose_channels_last(plan_.get());
    if (on_host) plan_takeovers(plan_.get(), nested_);
    MSJIT_OK(assign_layouts(plan_.get()));
    assign_arena(plan_.get());
    if (like) share_steps(plan_.get(), *like);
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

 private:
  void find_escapes() {
    size_t count = graph_.values.size();
    std::vector<int32_t> group_of(graph_.nodes.size(), -1);
    for (size_t g = 0; g < groups_.size(); ++g)
      for (int32_t n : groups_[g].nodes) group_of[n] = static_cast<int32_t>(g);
    escapes_.assign(count, 0);
    leaves_run_.assign(count, 0);
    for (const FusionGroup& group : groups_)
      for (int32_t n : group.nodes)
        for (ValueId id : graph_.nodes[n].inputs)
          if (id >= 0 && group_of[graph_.values[id].node] != group_of[n]) escapes_[id] = 1;
    for (ValueId id : graph_.outputs) escapes_[id] = leaves_run_[storage_root(graph_, id)] = 1;
    // A control node may hand on its inputs as outputs.
    for (const Node& node : graph_.nodes)
      for (ValueId id : node.is_control() ? node.inputs : InlineVec<ValueId, 3>())
        leaves_run_[storage_root(graph_, id)] = 1;
    slot_of_.assign(count, -1);
  }

  int32_t add_slot(PlanSlotKind kind, ValueId id) {
    const Meta& meta = graph_.meta(id);
    PlanSlot& slot = plan_->slots.emplace_back();
    slot.kind = kind;
    slot.value = id;
    slot.meta = meta;
    slot.bytes = meta.shape.numel() * item_size(meta.dtype);
    return slot_of_[id] = static_cast<int32_t>(plan_->slots.size()) - 1;
  }

  void add_inputs() {
    for (ValueId id : graph_.inputs) add_slot(PlanSlotKind::kInput, id);
    plan_->num_inputs = static_cast<int>(graph_.inputs.size());
  }

  int32_t slot_for(ValueId id) {
    if (id < 0) return -1;
    if (slot_of_[id] >= 0) return slot_of_[id];
    int32_t slot = add_slot(PlanSlotKind::kConstant, id);
    plan_->slots[slot].constant = graph_.producer(id).constant;
    return slot;
  }

  PlanSlotKind kind_of_result(const Node& node, ValueId id, bool fused) const {
    if (node.is_control() || kept_casts_[id]) return PlanSlotKind::kResult;
    if (node.op->has(kView)) return PlanSlotKind::kView;
    if (fused && !escapes_[id]) return PlanSlotKind::kTemp;
    // A call of other processes is not repeated when the run is, so its result outlives the run.
    const bool outlives = leaves_run_[id] || node.op->has(kCollective);
    return outlives ? PlanSlotKind::kFresh : PlanSlotKind::kArena;
  }

  Status add_step(const FusionGroup& group) {
    if (group.nodes.size() > 1)  // fused with other nodes, a cast is no step by itself
      for (int32_t n : group.nodes) kept_casts_[graph_.nodes[n].first_output] = 0;
    const bool is_weight = kept_casts_[graph_.nodes[group.nodes[0]].first_output];
    MSJIT_TRY(std::vector<PlanOp> ops, ops_of(group));
    mark_releases(&ops);
    auto program = std::make_shared<FusedProgram>();
    if (group.fused && !is_weight &&
        lower_group(graph_, group, slot_of_, escapes_, plan_->open_sizes, program.get())) {
      push_step(PlanStepKind::kFused, std::move(ops), std::move(program));
      return {};
    }
    demote_temps(ops);
    if (ops.size() == 1) return add_single(std::move(ops[0]), is_weight);
    for (PlanOp& op : ops) {
      op.release.clear();
      push_step(PlanStepKind::kOp, {std::move(op)}, nullptr);
    }
    return {};
  }

  // The operators of a group, with slots for their results.
  Result<std::vector<PlanOp>> ops_of(const FusionGroup& group) {
    std::vector<PlanOp> ops;
    for (int32_t n : group.nodes) {
      const Node& node = graph_.nodes[n];
      if (!node.is_control() && !node.op->host_kernel())
        return not_implemented_error("[{}] kernel for the CPU, got none, expected one",
                                     node.op->name);
      PlanOp& op = ops.emplace_back();
      op.node = std::shared_ptr<const Node>(plan_->graph, &node);
      for (ValueId id : node.inputs) op.in.push_back(slot_for(id));
      for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
        op.out.push_back(add_slot(kind_of_result(node, id, group.fused), id));
    }
    return ops;
  }

  // A step of one operator, which is no fused kernel.
  Status add_single(PlanOp op, bool is_weight) {
    const Node& node = *op.node;
    const PlanStepKind kind = node.is_control()     ? PlanStepKind::kControl
                              : is_weight           ? PlanStepKind::kWeight
                              : node.op->has(kView) ? PlanStepKind::kView
                                                    : PlanStepKind::kOp;
    push_step(kind, {std::move(op)}, nullptr);
    if (node.is_control()) MSJIT_OK(add_bodies(node, plan_->steps.back()));
    return {};
  }

  Status add_bodies(const Node& node, PlanStep& step) {
    for (const auto& sub : node.subgraphs) {
      MSJIT_TRY(auto plan, plan_of_body(sub, plan_->open_sizes));
      step.nested.push_back(std::move(plan));
    }
    for (ValueId id : node.inputs)
      step.copied.push_back(graph_.producer(storage_root(graph_, id)).kind == NodeKind::kConstant);
    return {};
  }

  // When a group stays op by op, its inner values live in the arena.
  void demote_temps(const std::vector<PlanOp>& ops) {
    for (const PlanOp& op : ops)
      for (int32_t s : op.out)
        if (plan_->slots[s].kind == PlanSlotKind::kTemp)
          plan_->slots[s].kind = PlanSlotKind::kArena;
  }

  void mark_releases(std::vector<PlanOp>* ops) {
    std::vector<int32_t> seen;
    for (auto op = ops->rbegin(); op != ops->rend(); ++op) {
      auto visit = [&](int32_t s) {
        if (s < 0 || plan_->slots[s].kind != PlanSlotKind::kTemp) return;
        if (std::find(seen.begin(), seen.end(), s) != seen.end()) return;
        seen.push_back(s);
        op->release.push_back(s);
      };
      for (int32_t s : op->in) visit(s);
      for (int32_t s : op->out) visit(s);
    }
  }

  void push_step(PlanStepKind kind, std::vector<PlanOp> ops,
                 std::shared_ptr<FusedProgram> program) {
    PlanStep& step = plan_->steps.emplace_back();
    step.kind = kind;
    step.ops = std::move(ops);
    step.fused = std::move(program);
    for (const PlanOp& op : step.ops)
      for (int32_t s : op.out)
        if (plan_->slots[s].kind == PlanSlotKind::kFresh) step.fresh.push_back(s);
  }

  // Outputs share storage in a compiled run exactly where they do in the captured graph.
  Status add_outputs() {
    const std::map<ValueId, ValueId> owners = find_owners();
    std::vector<int32_t> taken;
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId id = graph_.outputs[i], root = storage_root(graph_, id);
      const ValueId was = storage_root(original_, original_.outputs[i]);
      int32_t slot = slot_for(id);
      const auto owner = owners.find(root);
      const bool owns = owner == owners.end() || owner->second == was;
      plan_->outputs.push_back({slot, how(slot, root, was, owns, taken)});
      // A view of an input of an arm, or of a control node's result, is another tensor than that
      // one, even when it shows all of it.
      if (PlanOutput::How& found = plan_->outputs.back().how;
          viewed(original_, original_.outputs[i]) >= 0 &&
          (found == PlanOutput::How::kShare ||
           (graph_.producer(id).is_control() && found == PlanOutput::How::kTake)))
        found = PlanOutput::How::kAlias;
      for (size_t k = 0; k < i && nested_; ++k)  // the same tensor twice
        if (graph_.outputs[k] == id && original_.outputs[k] == original_.outputs[i] &&
            plan_->slots[slot].kind != PlanSlotKind::kConstant)
          plan_->outputs.back().how = PlanOutput::How::kShare;
      if (plan_->outputs.back().how == PlanOutput::How::kTake) taken.push_back(slot);
      if (plan_->outputs.back().how == PlanOutput::How::kCopy) {
        MSJIT_TRY(plan_->outputs.back().strides, eager_strides(original_, original_.outputs[i]));
      }
    }
    return {};
  }

  // Results that are not read again in this run and are together larger than any cache (an
  // optimizer's update) are written past the caches. Their cache lines then need not be fetched
  // first.
  void stream_outputs() {
    constexpr int64_t kManyBytes = int64_t{32} << 20;
    std::vector<char> read(plan_->slots.size());  // by another step
    for (const PlanStep& step : plan_->steps) {
      const auto makes = [&](int32_t s) {
        return std::ranges::find(step.fresh, s) != step.fresh.end();
      };
      for (const PlanOp& op : step.ops)
        for (int32_t s : op.in)
          if (s >= 0 && !makes(s)) read[s] = 1;
    }
    const auto is_result = [&](const FusedProgram::Operand& operand) {
      return operand.output && !operand.tail && !read[operand.slot] &&
             plan_->slots[operand.slot].kind == PlanSlotKind::kFresh;
    };
    const auto streams = [](const PlanStep& step) {  // what is overwritten was read
      return step.fused && !step.writes_over;
    };
    int64_t bytes = 0;
    for (const PlanStep& step : plan_->steps)
      for (size_t i = 0; streams(step) && i < step.fused->operands.size(); ++i)
        if (is_result(step.fused->operands[i]))
          bytes += plan_->slots[step.fused->operands[i].slot].bytes;
    if (nested_ || bytes < kManyBytes) return;
    for (PlanStep& step : plan_->steps) {
      if (!streams(step) || !std::ranges::any_of(step.fused->operands, is_result)) continue;
      auto program = std::make_shared<FusedProgram>(*step.fused);
      for (FusedProgram::Operand& operand : program->operands) operand.streams = is_result(operand);
      step.fused = std::move(program);
    }
  }

  // Outputs that had storages of their own may have one here (x * 1 is x). It goes to those of them
  // that share it, and the others are copied. By root here: that of its owner there.
  std::map<ValueId, ValueId> find_owners() const {
    std::map<std::pair<ValueId, ValueId>, int> sharing;
    std::map<ValueId, ValueId> owners;
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      ++sharing[{storage_root(graph_, graph_.outputs[i]),
                 storage_root(original_, original_.outputs[i])}];
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId root = storage_root(graph_, graph_.outputs[i]);
      const ValueId was = storage_root(original_, original_.outputs[i]);
      if (is_given_by_control(root, was)) continue;
      const auto [owner, first] = owners.emplace(root, was);
      if (!first && sharing[{root, was}] > sharing[{root, owner->second}]) owner->second = was;
    }
    return owners;
  }

  // The result of a branch or loop may be any tensor that was given to it. What was a tensor of its
  // own there is copied.
  bool is_given_by_control(ValueId root, ValueId was) const {
    return graph_.producer(root).is_control() && !original_.producer(was).is_control();
  }

  PlanOutput::How how(int32_t slot, ValueId root, ValueId was, bool owns,
                      std::span<const int32_t> taken) {
    const Node& producer = graph_.producer(root);
    const Node& was_producer = original_.producer(was);
    if (producer.kind == NodeKind::kConstant) return PlanOutput::How::kCopy;
    if (producer.kind == NodeKind::kInput) {
      bool same =
          was_producer.kind == NodeKind::kInput && was_producer.input_index == producer.input_index;
      if (!same) return PlanOutput::How::kCopy;
      if (plan_->slots[slot].kind != PlanSlotKind::kInput) return take(slot, taken);
      return nested_ ? PlanOutput::How::kShare : PlanOutput::How::kAlias;
    }
    if (is_given_by_control(root, was)) return PlanOutput::How::kCopy;
    return owns ? take(slot, taken) : PlanOutput::How::kCopy;
  }
  static PlanOutput::How take(int32_t slot, std::span<const int32_t> taken) {
    bool again = std::find(taken.begin(), taken.end(), slot) != taken.end();
    return again ? PlanOutput::How::kCopy : PlanOutput::How::kTake;
  }

  const std::shared_ptr<const Graph> keep_;
  const Graph& graph_;
  const Graph& original_;
  const bool nested_;
  std::shared_ptr<Plan> plan_;
  std::vector<FusionGroup> groups_;
  std::vector<char> escapes_;     // read outside its group
  std::vector<char> leaves_run_;  // by value: its storage is visible in an output
  std::vector<char> kept_casts_;  // by value
  std::vector<int32_t> slot_of_;  // by value
};

}  // namespace

Result<std::shared_ptr<const Plan>> make_plan(std::shared_ptr<const Graph> graph,
                                              const Graph& original, bool nested, bool open_sizes,
                                              const Plan* like) {
  return Planner(std::move(graph), original, nested, open_sizes).run(like);
}

}  // namespace msjit
