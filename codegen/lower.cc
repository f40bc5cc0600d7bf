// Fusion group -> FusedProgram: traces every op's maths into one scalar program. Intermediate
// values keep the rounding they have in eager mode: a result of dtype float16 or bfloat16 is
// rounded to it before its next use.
#include <unordered_map>

#include "codegen/fusion.h"
#include "codegen/plan.h"

namespace msjit {
namespace {

constexpr size_t kMaxScalarNodes =
    1500;  // a larger body would not fit the instruction cache, nor compile quickly

DType compute_type(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ? DType::kFloat32 : dtype;
}
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
        slot_(value_slot),
        escapes_(escapes),
        open_sizes_(open_sizes),
        out_(*out) {}

  bool run() {
    out_.space = group_.space;
    out_.reduced = group_.reduced;
    out_.keepdims = group_.keepdims;
    for (size_t i = 0; i < group_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[group_.nodes[i]];
      if (group_.roles[i] == FusionRole::kReduce)
        reduce(node);
      else if (!elementwise(node, group_.roles[i] == FusionRole::kTail))
        return false;
      if (body_.builder.program().nodes.size() > kMaxScalarNodes) return false;
    }
    out_.num_inputs = static_cast<int>(out_.operands.size());
    for (int32_t n : group_.nodes) add_output(graph_.nodes[n].first_output);
    out_.body = body_.builder.take().nodes;
    out_.tail = tail_.builder.take().nodes;
    return !out_.stores.empty() || !out_.tail_stores.empty();
  }

 private:
  struct Part {
    ScalarBuilder builder;
    std::unordered_map<ValueId, Sym> values;
  };

  bool elementwise(const Node& node, bool tail) {
    Part& part = tail ? tail_ : body_;
    InlineVec<const Meta*, 4> metas;
    for (ValueId id : node.inputs) metas.push_back(id < 0 ? nullptr : &graph_.meta(id));
    DType compute = compute_dtype(*node.op, metas);
    InlineVec<Sym, 4> in;
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) return false;
      DType wanted = compute_type(operand_dtype(*node.op, compute, static_cast<int>(i)));
      in.push_back(convert(part, value(part, node.inputs[i], tail), wanted));
    }
    Sym result = node.op->scalar_trace(part.builder, in, node.attrs);
    DType dtype = graph_.meta(node.first_output).dtype;
    part.values[node.first_output] = round(part, convert(part, result, compute_type(dtype)), dtype);
    return true;
  }

  void reduce(const Node& node) {
    Sym x = value(body_, node.inputs[0], false);
    DType dtype = graph_.meta(node.first_output).dtype;
    x = convert(body_, x, compute_type(dtype));
    int32_t index = static_cast<int32_t>(out_.reduces.size());
    out_.reduces.push_back({node.op->reduce_kind, x.id()});
    Sym result = tail_.builder.input(-1 - index, compute_type(dtype));
    tail_.values[node.first_output] = round(tail_, result, dtype);
  }

  Sym convert(Part& part, Sym x, DType dtype) {
    return x.dtype() == dtype ? x : part.builder.emit(ScalarOp::kCast, dtype, x);
  }
  // Rounds to a 16-bit float and goes on in float32.
  Sym round(Part& part, Sym x, DType dtype) {
    if (!is_narrow(dtype)) return x;
    Sym rounded = part.builder.emit(ScalarOp::kCast, dtype, x);
    return Sym(&part.builder, rounded.id(), DType::kFloat32);
  }

  Sym value(Part& part, ValueId id, bool tail) {
    if (auto it = part.values.find(id); it != part.values.end()) return it->second;
    const Node& producer = graph_.producer(id);
    const Meta& meta = graph_.meta(id);
    Sym sym;
    if (producer.kind == NodeKind::kConstant && meta.shape.numel() == 1 &&
        (!open_sizes_ || is_plain_number(producer.constant))) {
      sym = immediate(part, producer.constant);
    } else {
      sym =
          part.builder.input(static_cast<int32_t>(out_.operands.size()), compute_type(meta.dtype));
      out_.operands.push_back({slot_[id], meta.dtype, meta.shape, false, tail});
    }
    part.values[id] = sym;
    return sym;
  }

  // A number that is hardly the outcome of a size (as the divisor of a mean is).
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
      case DType::kFloat64: break;
    }
    return b.constant(*t.data_as<double>(), DType::kFloat64);
  }

  void add_output(ValueId id) {
    if (!escapes_[id]) return;
    bool tail = tail_.values.count(id) && !is_body(id);
    const Meta& meta = graph_.meta(id);
    KernelStore store{(tail ? tail_ : body_).values[id].id(),
                      static_cast<int32_t>(out_.operands.size())};
    out_.operands.push_back({slot_[id], meta.dtype, meta.shape, true, tail});
    (tail ? out_.tail_stores : out_.stores).push_back(store);
  }
  bool is_body(ValueId id) const {
    for (size_t i = 0; i < group_.nodes.size(); ++i)
      if (graph_.nodes[group_.nodes[i]].first_output == id)
        return group_.roles[i] == FusionRole::kBody;
    return false;
  }

  const Graph& graph_;
  const FusionGroup& group_;
  std::span<const int32_t> slot_;
  std::span<const char> escapes_;
  const bool open_sizes_;
  FusedProgram& out_;
  Part body_, tail_;
};

// Strides of an operand over the iteration space (rank of `space`), from strides over its own
// shape.
Shape spread(const FusedProgram& program, const FusedProgram::Operand& operand,
             const Shape& strides) {
  int rank = program.space.rank();
  Shape out;
  out.set_rank(rank);
  for (Dim& d : out) d = 0;
  bool dropped = operand.tail && !program.keepdims;  // its dims are the kept ones only
  int from = operand.shape.rank() - 1;
  for (int d = rank - 1; d >= 0 && from >= 0; --d) {
    bool reduced = (program.reduced >> d) & 1;
    if (reduced && dropped) continue;
    if (operand.shape[from] != 1 && !(reduced && operand.tail)) out[d] = strides[from];
    --from;
  }
  return out;
}

// True when dims d and d + 1 of all operands can be walked as one.
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

KernelSpec specialize(const FusedProgram& program, std::span<const Shape> input_strides) {
  KernelSpec spec;
  spec.dims = program.space;
  spec.reduced = program.reduced;
  for (size_t i = 0; i < program.operands.size(); ++i) {
    const FusedProgram::Operand& operand = program.operands[i];
    Shape strides = operand.output ? contiguous_strides(operand.shape) : input_strides[i];
    spec.operands.push_back({operand.dtype, operand.output, spread(program, operand, strides)});
  }
  spec.body = program.body;
  spec.stores = program.stores;
  spec.reduces = program.reduces;
  spec.tail = program.tail;
  spec.tail_stores = program.tail_stores;
  collapse(&spec);
  // Vectors that are written past the caches have to be aligned.
  for (size_t i = 0; i < spec.operands.size() && spec.dims.rank() == 1; ++i)
    spec.operands[i].streams = program.operands[i].streams && spec.operands[i].strides[0] == 1;
  return spec;
}

}  // namespace msjit
