// Fusion group -> FusedProgram: traces the maths of every op into the scalar programs of its
// stages. A stage computes cheap values of earlier stages again. Intermediate values are rounded as
// in eager mode: a float16 or bfloat16 result is rounded before its next use.
#include <unordered_map>

#include "codegen/fusion.h"
#include "codegen/plan.h"
#include "codegen/stage_plan.h"
#include "kernels/core/numbers.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

constexpr size_t kMaxScalarNodes =
    1500;  // larger bodies do not fit the instruction cache and compile slowly

bool is_narrow(DType dtype) { return compute_type(dtype) != dtype; }

template <class T>
int64_t read_int(const Tensor& t) {
  return static_cast<int64_t>(*t.data_as<T>());
}

class GroupLowering {
 public:
  GroupLowering(const Graph& graph, const FusionGroup& group, std::span<const int32_t> value_slot,
                std::span<const char> escapes, bool open_sizes, FusedProgram* out)
      : graph_(graph),
        group_(group),
        stages_(graph, group, escapes),
        slot_(value_slot),
        escapes_(escapes),
        open_sizes_(open_sizes),
        out_(*out) {}

  bool run() {
    if ((out_.space = space_slot()) < 0) return false;
    out_.reduced = group_.reduced;
    out_.keepdims = group_.keepdims;
    parts_.resize(static_cast<size_t>(stages_.last()) + 1);
    out_.stages.resize(parts_.size());
    for (size_t i = 0; i < group_.nodes.size(); ++i) {
      const ValueId id = graph_.nodes[group_.nodes[i]].first_output;
      role_[id] = group_.roles[i];
    }
    for (int s = 0; s <= stages_.last(); ++s)
      if (!lower_stage(s)) return false;
    for (int32_t n : group_.nodes)
      if (const ValueId id = graph_.nodes[n].first_output;
          escapes_[id] && role_[id] != FusionRole::kBody && !store(&tail_, id, true))
        return false;
    return finish();
  }

 private:
  struct Part {
    ScalarBuilder builder;
    std::unordered_map<ValueId, Sym> values;
    int stage = 0;
    bool tail = false;
  };
  // Outputs are numbered from here on until the number of inputs is known.
  static constexpr int32_t kFirstOutput = 1 << 20;

  // A slot with the shape of the iteration space: what a node of the body makes, or what is
  // reduced.
  int32_t space_slot() const {
    for (size_t i = 0; i < group_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[group_.nodes[i]];
      const FusionRole role = group_.roles[i];
      if (role != FusionRole::kBody && role != FusionRole::kReduce) continue;
      const ValueId id = role == FusionRole::kBody ? node.first_output : node.inputs[0];
      if (graph_.meta(id).shape == group_.space) return slot_[id];
    }
    return -1;
  }

  bool lower_stage(int stage) {
    Part& part = parts_[static_cast<size_t>(stage)];
    part.stage = stage;
    for (int32_t n : group_.nodes) {
      const Node& node = graph_.nodes[n];
      const ValueId id = node.first_output;
      if (stages_.stage_of(id) != stage || role_[id] == FusionRole::kTail) continue;
      if (role_[id] == FusionRole::kReduce && !reduce(&part, node)) return false;
      if (role_[id] == FusionRole::kBody && escapes_[id] && !store(&part, id, false)) return false;
    }
    for (const auto& [id, place] : stages_.kept())
      if (id != place && stages_.stage_of(id) == stage && !keep(&part, id, place)) return false;
    return part.builder.program().nodes.size() <= kMaxScalarNodes;
  }

  bool finish() {
    out_.num_inputs = static_cast<int>(inputs_.size());
    const auto place = [&](int32_t* operand) {
      if (*operand >= kFirstOutput) *operand += out_.num_inputs - kFirstOutput;
    };
    const auto settle = [&](std::vector<ScalarNode>* nodes, std::vector<KernelStore>* stores) {
      for (ScalarNode& node : *nodes)
        if (node.op == ScalarOp::kInput) place(&node.a);
      for (KernelStore& store : *stores) place(&store.operand);
    };
    bool stores = !out_.tail_stores.empty();
    for (size_t s = 0; s < parts_.size(); ++s) {
      out_.stages[s].body = parts_[s].builder.take().nodes;
      settle(&out_.stages[s].body, &out_.stages[s].stores);
      stores |= !out_.stages[s].stores.empty();
    }
    out_.tail = tail_.builder.take().nodes;
    settle(&out_.tail, &out_.tail_stores);
    out_.operands = std::move(inputs_);
    out_.operands.insert(out_.operands.end(), outputs_.begin(), outputs_.end());
    return stores;
  }

  // The maths of a node in this part; an invalid Sym when the node cannot be traced.
  Sym elementwise(Part* part, const Node& node) {
    InlineVec<const Meta*, 4> metas;
    for (ValueId id : node.inputs) metas.push_back(id < 0 ? nullptr : &graph_.meta(id));
    DType compute = compute_dtype(*node.op, metas);
    InlineVec<Sym, 4> in;
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) return {};
      const Sym x = value(part, node.inputs[i]);
      if (!x.builder()) return {};
      const DType wanted = operand_dtype(*node.op, compute, static_cast<int>(i));
      const Sym read = convert(*part, x, compute_type(wanted));
      in.push_back(metas[i]->weak && rounds_numbers(*node.op) ? round(*part, read, wanted) : read);
    }
    Sym result = node.op->scalar_trace(part->builder, in, node.attrs);
    DType dtype = graph_.meta(node.first_output).dtype;
    return round(*part, convert(*part, result, compute_type(dtype)), dtype);
  }

  bool reduce(Part* part, const Node& node) {
    Sym x = value(part, node.inputs[0]);
    if (!x.builder()) return false;
    DType dtype = graph_.meta(node.first_output).dtype;
    x = convert(*part, x, compute_type(dtype));
    number_[node.first_output] = num_reduces_++;
    out_.stages[static_cast<size_t>(part->stage)].reduces.push_back({node.op->reduce_kind, x.id()});
    return true;
  }

  // Stores a value of the group as an output.
  bool store(Part* part, ValueId id, bool tail) {
    part->tail = tail;
    const Sym x = value(part, id);
    if (!x.builder()) return false;
    auto& stores = tail ? out_.tail_stores : out_.stages[static_cast<size_t>(part->stage)].stores;
    stores.push_back({x.id(), output(id, tail)});
    return true;
  }
  bool keep(Part* part, ValueId id, ValueId place) {
    const Sym x = value(part, id);
    if (!x.builder()) return false;
    out_.stages[static_cast<size_t>(part->stage)].stores.push_back({x.id(), output(place, false)});
    return true;
  }
  int32_t output(ValueId id, bool tail) {
    auto [found, added] =
        output_.try_emplace(id, kFirstOutput + static_cast<int32_t>(outputs_.size()));
    const Meta& meta = graph_.meta(id);
    if (added) outputs_.push_back({slot_[id], meta.dtype, true, tail});
    return found->second;
  }

  Sym convert(Part& part, Sym x, DType dtype) {
    return x.dtype() == dtype ? x : part.builder.emit(ScalarOp::kCast, dtype, x);
  }
  // Rounds to a 16-bit float and continues in float32.
  Sym round(Part& part, Sym x, DType dtype) {
    if (!is_narrow(dtype)) return x;
    Sym rounded = part.builder.emit(ScalarOp::kCast, dtype, x);
    return Sym(&part.builder, rounded.id(), DType::kFloat32);
  }

  Sym value(Part* part, ValueId id) {
    if (auto it = part->values.find(id); it != part->values.end()) return it->second;
    const Sym sym = make_value(part, id);
    part->values[id] = sym;
    return sym;
  }

  Sym make_value(Part* part, ValueId id) {
    const Node& producer = graph_.producer(id);
    const Meta& meta = graph_.meta(id);
    if (auto role = role_.find(id); role != role_.end()) {
      if (role->second == FusionRole::kReduce) {
        const Sym folded = part->builder.input(-1 - number_[id], compute_type(meta.dtype));
        return round(*part, folded, meta.dtype);
      }
      const ValueId place = stages_.kept_in(id);
      if (place < 0 || part->stage == stages_.stage_of(id)) return elementwise(part, producer);
      return part->builder.input(output(place, false), compute_type(meta.dtype));
    }
    if (producer.kind == NodeKind::kConstant && meta.shape.numel() == 1 &&
        (!open_sizes_ || is_plain_number(producer.constant)))
      return immediate(*part, producer.constant);
    return part->builder.input(input(id, part->tail), compute_type(meta.dtype));
  }
  // One operand per value: all stages share it, the tail has operands of its own.
  int32_t input(ValueId id, bool tail) {
    auto [found, added] = input_[tail].try_emplace(id, static_cast<int32_t>(inputs_.size()));
    const Meta& meta = graph_.meta(id);
    if (added) inputs_.push_back({slot_[id], meta.dtype, false, tail});
    return found->second;
  }

  // A number that is unlikely to be computed from a size (as the divisor of a mean is).
  static bool is_plain_number(const Tensor& t) {
    double value = -1;
    dispatch_dtype(t.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      value = static_cast<double>(*t.data_as<T>());
    });
    return value == 0 || value == 1;
  }

  Sym immediate(Part& part, const Tensor& t) {
    ScalarBuilder& b = part.builder;
    switch (t.dtype()) {
      case DType::kBool: return b.constant_int(*t.data_as<uint8_t>() != 0, DType::kBool);
      case DType::kUInt8: return b.constant_int(read_int<uint8_t>(t), t.dtype());
      case DType::kInt8: return b.constant_int(read_int<int8_t>(t), t.dtype());
      case DType::kInt16: return b.constant_int(read_int<int16_t>(t), t.dtype());
      case DType::kInt32: return b.constant_int(read_int<int32_t>(t), t.dtype());
      case DType::kInt64: return b.constant_int(read_int<int64_t>(t), t.dtype());
      case DType::kFloat16: return b.constant(float(*t.data_as<Half>()), DType::kFloat32);
      case DType::kBFloat16: return b.constant(float(*t.data_as<BFloat16>()), DType::kFloat32);
      case DType::kFloat32: return b.constant(*t.data_as<float>(), DType::kFloat32);
      case DType::kUInt16: return b.constant_int(read_int<uint16_t>(t), t.dtype());
      case DType::kUInt32: return b.constant_int(read_int<uint32_t>(t), t.dtype());
      case DType::kUInt64: return b.constant_int(read_int<uint64_t>(t), t.dtype());
      default: break;
    }
    return b.constant(*t.data_as<double>(), DType::kFloat64);
  }

  const Graph& graph_;
  const FusionGroup& group_;
  const StagePlan stages_;
  std::span<const int32_t> slot_;
  std::span<const char> escapes_;
  const bool open_sizes_;
  FusedProgram& out_;
  std::vector<Part> parts_;
  Part tail_;
  std::vector<FusedProgram::Operand> inputs_, outputs_;
  std::unordered_map<ValueId, int32_t> input_[2],
      output_;                                    // by value; inputs of stages, of the tail
  std::unordered_map<ValueId, FusionRole> role_;  // of the group's values
  std::unordered_map<ValueId, int32_t> number_;   // of what is reduced
  int32_t num_reduces_ = 0;
};

// Strides of an operand over the iteration space, given its strides over its own shape.
Shape spread(const FusedProgram& program, const FusedShapes& shapes, size_t index,
             const Shape& strides) {
  const FusedProgram::Operand& operand = program.operands[index];
  const Shape& shape = shapes.operands[index];
  int rank = shapes.space.rank();
  Shape out;
  out.set_rank(rank);
  for (Dim& d : out) d = 0;
  bool dropped = operand.tail && !program.keepdims;  // its dims are the kept ones only
  int from = shape.rank() - 1;
  for (int d = rank - 1; d >= 0 && from >= 0; --d) {
    bool reduced = (program.reduced >> d) & 1;
    if (reduced && dropped) continue;
    if (shape[from] != 1 && !(reduced && operand.tail)) out[d] = strides[from];
    --from;
  }
  return out;
}

// Whether dims d and d + 1 can be walked as one dim in all operands.
bool mergeable(const KernelSpec& spec, int d) {
  if (spec.is_reduced(d) != spec.is_reduced(d + 1)) return false;
  for (const KernelOperand& operand : spec.operands)
    if (operand.strides[d] != operand.strides[d + 1] * spec.dims[d + 1]) return false;
  return true;
}

void erase_dim(KernelSpec* spec, int d) {
  uint32_t low = spec->reduced & ((1u << d) - 1);
  spec->reduced = low | ((spec->reduced >> (d + 1)) << d);
  spec->dims.erase(d);
  for (KernelOperand& operand : spec->operands) operand.strides.erase(d);
}

// Walks N, C, H, W in the order N, H, W, C when most of the operands' bytes lie in that order.
void walk_channels_last(const FusedProgram& program, const FusedShapes& shapes, KernelSpec* spec) {
  int64_t last = 0, plain = 0;
  for (size_t i = 0; i < program.operands.size(); ++i)
    if (const FusedProgram::Operand& operand = program.operands[i];
        shapes.operands[i] == shapes.space && !operand.tail)
      (operand.channels_last ? last : plain) += item_size(operand.dtype);
  if (last <= plain) return;
  constexpr int kOrder[] = {0, 2, 3, 1};
  const auto reorder = [&](Shape* shape) {
    const Shape from = *shape;
    for (int i = 0; i < 4; ++i) (*shape)[i] = from[kOrder[i]];
  };
  reorder(&spec->dims);
  for (KernelOperand& operand : spec->operands) reorder(&operand.strides);
  const uint32_t reduced = std::exchange(spec->reduced, 0);
  for (int i = 0; i < 4; ++i) spec->reduced |= ((reduced >> kOrder[i]) & 1) << i;
}

void collapse(KernelSpec* spec) {
  for (int d = spec->dims.rank() - 1; d >= 0; --d)
    if (spec->dims[d] == 1) erase_dim(spec, d);
  for (int d = spec->dims.rank() - 2; d >= 0; --d) {
    if (!mergeable(*spec, d)) continue;
    spec->dims[d + 1] *= spec->dims[d];
    erase_dim(spec, d);
  }
}

}  // namespace

bool lower_group(const Graph& graph, const FusionGroup& group, std::span<const int32_t> value_slot,
                 std::span<const char> escapes, bool open_sizes, FusedProgram* out) {
  return GroupLowering(graph, group, value_slot, escapes, open_sizes, out).run();
}

FusedShapes shapes_of(const Plan& plan, const FusedProgram& program) {
  FusedShapes shapes{plan.slots[program.space].meta.shape, {}};
  for (const FusedProgram::Operand& operand : program.operands)
    shapes.operands.push_back(plan.slots[operand.slot].meta.shape);
  return shapes;
}

KernelSpec specialize(const FusedProgram& program, const FusedShapes& shapes,
                      std::span<const Shape> input_strides) {
  KernelSpec spec;
  spec.dims = shapes.space;
  spec.reduced = program.reduced;
  for (size_t i = 0; i < program.operands.size(); ++i) {
    const FusedProgram::Operand& operand = program.operands[i];
    Shape strides = !operand.output         ? input_strides[i]
                    : operand.channels_last ? layout::channels_last_strides(shapes.operands[i])
                                            : contiguous_strides(shapes.operands[i]);
    spec.operands.push_back({operand.dtype, operand.output, spread(program, shapes, i, strides)});
  }
  spec.stages = program.stages;
  spec.tail = program.tail;
  spec.tail_stores = program.tail_stores;
  walk_channels_last(program, shapes, &spec);
  collapse(&spec);
  // Only aligned whole vectors can be written past the caches, hence one dim and one stage.
  for (size_t i = 0; i < spec.operands.size() && spec.dims.rank() == 1 && spec.stages.size() == 1;
       ++i)
    spec.operands[i].streams = program.operands[i].streams && spec.operands[i].strides[0] == 1;
  return spec;
}

}  // namespace msjit
