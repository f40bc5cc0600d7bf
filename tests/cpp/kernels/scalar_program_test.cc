// The eager loops and the traced programs are one definition: for every op with a trace, an
// interpreter of ScalarProgram gives the bits the kernel gives, on ordinary and on special values.
#include <cstring>
#include <limits>

#include "kernels/core/registry.h"
#include "kernels/core/scalar_math.h"
#include "kernels/op_test.h"

namespace msjit::op_test {
namespace {

struct Cell {
  alignas(8) unsigned char bytes[8] = {};
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  template <class T>
  void set(T value) {
    std::memcpy(bytes, &value, sizeof(T));
  }
};

class Interpreter {
 public:
  explicit Interpreter(const ScalarProgram& program)
      : program_(program), cells_(program.nodes.size()) {}
  Cell run(std::span<const Cell> inputs) {
    inputs_ = inputs;
    for (size_t i = 0; i < cells_.size(); ++i) {
      const ScalarNode& node = program_.nodes[i];
      // Operands decide the type of comparisons and conversions.
      DType from =
          node.a >= 0 && node.op != ScalarOp::kInput ? program_.nodes[node.a].dtype : node.dtype;
      if (node.op == ScalarOp::kSelect) from = node.dtype;
      dispatch_dtype(from, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_same_v<T, Half> && !std::is_same_v<T, BFloat16>)
          step<T>(node, &cells_[i]);
      });
    }
    return cells_[program_.outputs[0]];
  }

 private:
  template <class T>
  Num<T> at(int32_t id) const {
    return Num<T>(cells_[id].template as<T>());
  }
  template <class T>
  void step(const ScalarNode& node, Cell* out) {
    using M = NativeMath<T>;
    auto a = [&] { return at<T>(node.a); };
    auto b = [&] { return at<T>(node.b); };
    switch (node.op) {
      case ScalarOp::kInput: *out = inputs_[node.a]; return;
      case ScalarOp::kConst:
        return out->set<T>(is_float(node.dtype) ? static_cast<T>(node.imm_float)
                                                : static_cast<T>(node.imm_int));
      case ScalarOp::kAdd: return out->set((a() + b()).v);
      case ScalarOp::kSub: return out->set((a() - b()).v);
      case ScalarOp::kMul: return out->set((a() * b()).v);
      case ScalarOp::kDiv: return out->set((a() / b()).v);
      case ScalarOp::kNeg: return out->set((-a()).v);
      case ScalarOp::kAbs: return out->set(M::abs(a()).v);
      case ScalarOp::kMin: return out->set(M::min(a(), b()).v);
      case ScalarOp::kMax: return out->set(M::max(a(), b()).v);
      case ScalarOp::kLt: return out->set((a() < b()).v);
      case ScalarOp::kLe: return out->set((a() <= b()).v);
      case ScalarOp::kEq: return out->set((a() == b()).v);
      case ScalarOp::kNe: return out->set((a() != b()).v);
      case ScalarOp::kSelect:
        return out->set(M::select(at<bool>(node.a), at<T>(node.b), at<T>(node.c)).v);
      case ScalarOp::kCast:
        return dispatch_dtype(node.dtype, [&](auto tag) {
          using To = typename decltype(tag)::type;
          out->set(convert_value<To>(a().v));
        });
      case ScalarOp::kBitcast: *out = cells_[node.a]; return;
      default: break;
    }
    if constexpr (std::is_floating_point_v<T>) {
      step_float<T>(node, out);
    } else {
      step_integer<T>(node, out);
    }
  }
  template <class T>
  void step_float(const ScalarNode& node, Cell* out) {
    using M = NativeMath<T>;
    Num<T> a = at<T>(node.a);
    switch (node.op) {
      case ScalarOp::kFma: return out->set(M::fma(a, at<T>(node.b), at<T>(node.c)).v);
      case ScalarOp::kSqrt: return out->set(M::sqrt(a).v);
      case ScalarOp::kFloor: return out->set(M::floor(a).v);
      case ScalarOp::kCeil: return out->set(M::ceil(a).v);
      case ScalarOp::kTrunc: return out->set(M::trunc(a).v);
      case ScalarOp::kRint: return out->set(M::rint(a).v);
      default: FAIL() << "no float op " << static_cast<int>(node.op);
    }
  }
  template <class T>
  void step_integer(const ScalarNode& node, Cell* out) {
    using M = NativeMath<T>;
    Num<T> a = at<T>(node.a);
    switch (node.op) {
      case ScalarOp::kRem: return out->set(M::rem(a, at<T>(node.b)).v);
      case ScalarOp::kAnd: return out->set((a & at<T>(node.b)).v);
      case ScalarOp::kOr: return out->set((a | at<T>(node.b)).v);
      case ScalarOp::kXor: return out->set((a ^ at<T>(node.b)).v);
      case ScalarOp::kNot: return out->set((~a).v);
      default: break;
    }
    if constexpr (!std::is_same_v<T, bool>) {
      int n = static_cast<int>(at<T>(node.b).v);
      if (node.op == ScalarOp::kShl) return out->set(M::shl(a, n).v);
      if (node.op == ScalarOp::kShr) return out->set(M::shr(a, n).v);
    }
    FAIL() << "no integer op " << static_cast<int>(node.op);
  }

  const ScalarProgram& program_;
  std::vector<Cell> cells_;
  std::span<const Cell> inputs_;
};

template <class T>
std::vector<T> interesting() {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using L = std::numeric_limits<T>;
    for (int v : {0, 1, 2, 3, 5, 7, 31, 100}) values.push_back(static_cast<T>(v));
    if (std::is_signed_v<T>)
      for (int v : {-1, -2, -3, -7, -100}) values.push_back(static_cast<T>(v));
    values.push_back(L::min());
    values.push_back(L::max());
  } else {
    using L = std::numeric_limits<T>;
    for (double v :
         {0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 0.1, 1e-3, 1e-8, 10.0, 50.0, 88.0, 100.0, 1e5, 1e10}) {
      values.push_back(static_cast<T>(v));
      values.push_back(static_cast<T>(-v));
    }
    for (T v : {L::infinity(), L::min(), L::denorm_min(), L::max(), L::epsilon()}) {
      values.push_back(v);
      values.push_back(-v);
    }
    values.push_back(L::quiet_NaN());
  }
  return values;
}

// All tuples of interesting values, as one flat tensor an input.
std::vector<Tensor> grid(DType dtype, const OpDef& def) {
  int arity = def.signature.num_tensors;
  return dispatch_dtype(dtype, [&](auto tag) -> std::vector<Tensor> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return {};
    } else {
      std::vector<T> values = interesting<T>();
      int64_t base = static_cast<int64_t>(values.size()), n = 1;
      for (int i = 0; i < std::min(arity, 2); ++i) n *= base;
      std::vector<Tensor> inputs;
      for (int i = 0; i < arity; ++i) {
        inputs.push_back(Tensor::empty(operand_dtype(def, dtype, i), Shape{n}).take());
        for (int64_t k = 0; k < n; ++k) {
          int64_t digit = (i == 1 ? k / base : i == 2 ? k * 7 + 3 : k) % base;
          if (operand_dtype(def, dtype, i) == dtype) {
            inputs.back().template data_as<T>()[k] = values[digit];
          } else {
            inputs.back().template data_as<bool>()[k] = digit % 2 == 0;
          }
        }
      }
      return inputs;
    }
  });
}

std::vector<Attrs> attr_sets(const OpDef& def) {
  std::string name = def.name;
  if (name == "clip") return {{AttrValue(-1.5), AttrValue(2)}, {AttrValue(), AttrValue(1)}};
  if (name == "cast") {
    std::vector<Attrs> sets;
    for (DType to : {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                     DType::kInt64, DType::kFloat32, DType::kFloat64})
      sets.push_back({AttrValue(to)});
    return sets;
  }
  Attrs defaults;
  for (const Param& param : def.signature.params)
    if (!param.is_tensor())
      defaults.push_back(param.has_default ? param.default_value : AttrValue(1));
  return {defaults};
}

void compare(const OpDef& def, DType dtype, const Attrs& attrs) {
  std::vector<Tensor> in = grid(dtype, def);
  std::vector<const Meta*> metas;
  for (const Tensor& t : in) metas.push_back(&t.meta());
  if (compute_dtype(def, metas) != dtype) return;  // lifted: another round covers it
  const ScalarTraceFn trace = trace_for(def, dtype);
  if (!trace) return;
  ScalarBuilder builder;
  std::vector<Sym> symbols;
  for (size_t i = 0; i < in.size(); ++i)
    symbols.push_back(builder.input(static_cast<int32_t>(i), in[i].dtype()));
  builder.output(trace(builder, symbols, attrs));
  ScalarProgram program = builder.take();
  TensorVec out;
  Status status = run_op(def, in, attrs, &out);
  if (!status.ok()) return;  // dtypes the op refuses
  ASSERT_EQ(program.nodes[program.outputs[0]].dtype, out[0].dtype()) << def.name;
  Interpreter interpreter(program);
  size_t size = static_cast<size_t>(item_size(out[0].dtype()));
  for (int64_t k = 0; k < out[0].numel(); ++k) {
    std::vector<Cell> cells(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      int64_t width = item_size(in[i].dtype());
      std::memcpy(cells[i].bytes, in[i].data_as<char>() + k * width, static_cast<size_t>(width));
    }
    Cell want = interpreter.run(cells);
    const char* got = out[0].data_as<char>() + static_cast<size_t>(k) * size;
    bool both_nan =
        is_float(out[0].dtype()) &&
        (size == 4 ? std::isnan(want.as<float>()) && std::isnan(out[0].data_as<float>()[k])
                   : std::isnan(want.as<double>()) && std::isnan(out[0].data_as<double>()[k]));
    ASSERT_TRUE(both_nan || std::memcmp(want.bytes, got, size) == 0)
        << def.name << " " << dtype_name(dtype) << " element " << k << ": first input "
        << values_of(in[0])[k] << " kernel " << values_of(out[0])[k];
  }
}

TEST(ScalarProgram, KernelsAndTracesAgreeBitForBit) {
  int compared = 0;
  for (const OpDef* def : all_ops()) {
    if (!def->scalar_trace) continue;
    ++compared;
    for (DType dtype : {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                        DType::kInt64, DType::kFloat32, DType::kFloat64}) {
      for (const Attrs& attrs : attr_sets(*def)) compare(*def, dtype, attrs);
    }
  }
  EXPECT_GT(compared, 40);
}

TEST(ScalarProgram, EqualNodesAreMergedAndConstantsRounded) {
  ScalarBuilder builder;
  Sym x = builder.input(0, DType::kFloat32);
  EXPECT_EQ((x + 0.1).id(), (x + 0.1f).id());
  EXPECT_NE(builder.constant(0.0, DType::kFloat32).id(),
            builder.constant(-0.0, DType::kFloat32).id());
  EXPECT_EQ(builder.constant(300.0, DType::kInt8).id(),
            builder.constant_int(44, DType::kInt8).id());
}

}  // namespace
}  // namespace msjit::op_test
