// OpDef: all that is known of an operator. It is stated once, in kernels/ops/<op>.cc. Eager
// execution, both front ends, autodiff, the code generators, the Python signature, the stubs and
// the test matrix use it. It is constant data without virtual functions. Tensor parameters are the
// inputs of a call in order; all other parameters are its Attrs.
#pragma once

#include <vector>

#include "kernels/core/scalar_program.h"
#include "kernels/core/value.h"

namespace msjit {

enum class ParamKind : uint8_t {
  kTensor,          // also takes a Python scalar if there is another tensor: a weak 0-d tensor
  kOptionalTensor,  // "Tensor?": None is passed on as an empty handle
  kTensorList,      // "Tensor[]": must be the only tensor parameter
  kBool,
  kInt,
  kFloat,
  kNumber,   // bool, int or float, kept as given
  kIntList,  // "int[]": one int is taken as a list of one
  kDType,
  kString,
};

struct Param {
  std::string name;
  ParamKind kind;
  bool optional = false;  // None is allowed (a none AttrValue)
  bool has_default = false;
  AttrValue default_value;  // none for optional tensors
  bool is_tensor() const { return kind <= ParamKind::kTensorList; }
};

struct Signature {
  std::vector<Param> params;
  int num_tensors = 0;  // tensor parameters
  int num_attrs = 0;
  bool variadic = false;  // has a Tensor[]
  // Parses "x: Tensor, axis: int[]? = None, keepdims: bool = False"; aborts on a malformed text
  // (our own bug).
  static Signature parse(std::string_view text);
  int attr_index(std::string_view name) const;  // -1 when there is none
};

// What an infer rule gets: the metas of the inputs and the attributes. It adds one meta per output.
class InferCtx {
 public:
  InferCtx(const OpDef& op, std::span<const Meta* const> inputs, const Attrs& attrs)
      : op(op), inputs_(inputs), attrs(attrs) {}
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  bool has(int i) const { return i < num_inputs() && inputs_[i] != nullptr; }
  const Meta& in(int i) const { return *inputs_[i]; }
  const char* name() const;
  void add_output(DType dtype, const Shape& shape) {
    outputs.emplace_back(Meta{dtype, false, shape});
  }
  // The only place that compares dimensions: `[op] what must match, got A and B in shapes S, T`.
  Status require_eq(Dim a, Dim b, const char* what) const;
  // Normalises an axis of a tensor of `rank`; it may be negative. ValueError when out of range.
  Result<int> axis(int64_t axis, int rank) const;
  // Axis list (none = all axes), normalised, sorted, duplicates refused.
  Result<IntList> axes(const AttrValue& axes, int rank) const;
  // NumPy broadcasting of two or more shapes.
  Result<Shape> broadcast(const Shape& a, const Shape& b) const;

  const OpDef& op;

 private:
  std::span<const Meta* const> inputs_;

 public:
  const Attrs& attrs;
  InlineVec<Meta, 2> outputs;
};

// What a kernel gets. Outputs are allocated, contiguous and not aliased to inputs, with two
// exceptions. The kernel of a kView op fills every out[i] with a view of in[0]. For a kInPlace op
// out[0] is in[0] itself.
struct KernelCtx {
  const OpDef& op;
  std::span<const Tensor> in;
  std::span<Tensor> out;
  const Attrs& attrs;
};

// What a gradient rule gets. grad(i) is a zero tensor where output i received no gradient.
// set_grad() reduces to the input's shape and casts to its dtype, so rules need not undo
// broadcasting or promotion. The gradient of a complex value z = x + iy is dL/dx + i dL/dy, as in
// MindSpore. For ops marked kHolomorphic grad() and set_grad() conjugate, so a rule written for
// real numbers also holds for complex ones.
class Vjp {
 public:
  OpSink* sink;
  const OpDef* op;
  const Attrs& attrs;
  std::span<const Val> inputs;
  std::span<const Val> outputs;
  std::span<const Val> output_grads;  // invalid Val = no gradient reached this output
  std::span<const bool> wanted;       // inputs whose gradient is asked for
  Vals input_grads;                   // filled by set_grad; invalid = zero

  const Val& in(int i) const { return inputs[i]; }
  const Val& out(int i = 0) const { return outputs[i]; }
  Val grad(int i = 0) const;
  bool has_grad(int i) const { return static_cast<bool>(output_grads[i]); }
  bool needs(int i) const { return wanted[i]; }
  void set_grad(int i, Val grad);
  bool conjugates() const;                        // kHolomorphic, and a complex tensor takes part
  Val constant(double value, DType dtype) const;  // weak scalar
};

using InferFn = Status (*)(InferCtx&);
using KernelFn = Status (*)(KernelCtx&);
using VjpFn = void (*)(Vjp&);
using CompositeFn = Vals (*)(OpSink* sink, std::span<const Val> inputs, const Attrs& attrs);
// Traces the op's maths into a scalar program. Takes one Sym per input, returns one Sym per output.
using ScalarTraceFn = Sym (*)(ScalarBuilder& builder, std::span<const Sym> inputs,
                              const Attrs& attrs);

struct LoopTable;  // kernels/cpu/elementwise.h

enum Trait : uint32_t {
  kPure = 1u << 0,  // no side effect, same result for same inputs: may be merged, moved, dropped
  kElementwise = 1u << 1,  // has scalar_trace; output shape is the broadcast of the inputs
  kReduction = 1u << 2,    // reduce_kind over attrs (axis, keepdims)
  kView = 1u << 3,         // the output shares storage with input 0 where layout allows
  kRandom = 1u << 4,       // draws from the generator: keeps program order, never merged
  kInPlace = 1u << 5,      // writes input 0; captured where it has an `update`
  kCommutative = 1u << 6,  // operands may be swapped, zeros of either sign included
  kDecompose = 1u << 7,    // graphs take the composite even though an eager kernel exists
  kNoGrad = 1u << 8,       // gradient is zero by definition (comparisons, argmax, ...)
  kRows = 1u << 9,         // reduces rows (axis or num_axes): graphs take the composite to fuse it
  kComplex = 1u << 10,     // takes complex64 and complex128; other ops refuse them
  // A complex-differentiable function. Its rule states f' as for real numbers; Vjp conjugates.
  kHolomorphic = 1u << 11,
  // Elementwise except for numbers per channel: graphs take the composite to fuse it.
  kChannels = 1u << 12,
  // Its kernel also reads and writes 4-d tensors that lie in memory as N, H, W, C.
  kChannelsLast = 1u << 13,
  // Along axis 0, row i of the result depends only on row i of input 0, and on all of the other
  // inputs.
  kBatched = 1u << 14,
  // Its kernel takes inputs with any contents: given its outputs, it only fails when memory is
  // missing. That also holds for every kElementwise, kReduction and kView op, except for
  // kPositions.
  kTotal = 1u << 15,
  kCreates = 1u << 16,  // no input says where its result goes: it goes to the default device
  // The result is input 0 with changes. For a result in the memory of input 0 the kernel writes the
  // changes alone.
  kUpdates = 1u << 17,
  // Of two floats or two ints, a tensor without axes takes the dtype of one with axes, as a Python
  // number would.
  kScalarYields = 1u << 18,
  // A view whose other inputs say which part of input 0 it shows. It fails when they point outside.
  kPositions = 1u << 19,
  // Waits for other processes, which make the same calls in the same order (kernels/processes).
  // Never pure. Graphs keep each call, also behind every op that may fail before it.
  kCollective = 1u << 20,
};

enum class ReduceKind : uint8_t { kNone, kSum, kProd, kMax, kMin };

// Which dtypes an elementwise op computes on.
enum class DTypeRule : uint8_t {
  kPromote,     // any dtype, promoted among the inputs; on bool + is or, * is and, - is xor
  kNumeric,     // as kPromote; bool is lifted to int32
  kFloat,       // ints and bool are lifted to float32
  kBoolResult,  // inputs promoted, result bool
  kLogical,     // inputs read as truth values, result bool
  kInteger,     // bool and ints only
  kSelect,      // input 0 is a truth value, the others are promoted
  kCast,        // computes in the input's dtype; attribute 0 is the result dtype
};

// One input tuple for the generated op tests: shapes and value range per input, attributes as
// keyword text.
struct OpSample {
  std::vector<std::vector<int64_t>> shapes;
  std::vector<double> low_high;     // {low, high} for all inputs; empty = {-2, 2}
  std::string attrs;                // Python keywords: "axis=1, keepdims=True"
  std::vector<std::string> dtypes;  // per input; empty = float32
  bool check_grad = true;
};

struct OpDef {
  const char* name = nullptr;
  Signature signature;
  const char* doc = "";
  const char* numpy =
      "";  // Python expression over np and the parameter names that must agree, for the op matrix
  uint32_t traits = kPure;
  ReduceKind reduce_kind = ReduceKind::kNone;
  DTypeRule dtype_rule = DTypeRule::kPromote;
  int num_outputs = 1;  // 0: as many as infer adds (split, unstack)
  InferFn infer = nullptr;
  KernelFn kernel[kNumDeviceTypes] = {};
  CompositeFn composite = nullptr;
  CompositeFn update =
      nullptr;  // kInPlace: the new values of the tensors written, the first inputs
  VjpFn vjp = nullptr;
  ScalarTraceFn scalar_trace = nullptr;
  const LoopTable* complex_loops = nullptr;  // elementwise: the loops of the complex dtypes
  std::vector<OpSample> samples;
  uint32_t traced_types =
      ~0u;  // the compute dtypes of scalar_trace, 1 << dtype each; see trace_for
  bool has(Trait trait) const { return (traits & trait) != 0; }
  // Whether it can fail because of its inputs' contents. Missing memory does not count: any op may
  // lack it.
  bool may_fail() const {
    return has(kPositions) || (traits & (kTotal | kElementwise | kReduction | kView)) == 0;
  }
  // Expands its composite on `sink`. Constants that the composite makes are put where the inputs
  // are.
  Vals expand(OpSink* sink, std::span<const Val> inputs, const Attrs& attrs) const;
  KernelFn host_kernel() const { return kernel[static_cast<int>(DeviceType::kCpu)]; }
  KernelFn device_kernel() const { return kernel[static_cast<int>(DeviceType::kCuda)]; }
};

// Builds an OpDef in declaration style; see kernels/ops/README.md. The `scalar` member template,
// which also instantiates the native loops, is defined in kernels/cpu/elementwise.h.
class OpBuilder {
 public:
  explicit OpBuilder(const char* name) { def_.name = name; }
  operator OpDef() && { return std::move(def_); }
  OpBuilder&& doc(const char* text) && { return def_.doc = text, std::move(*this); }
  OpBuilder&& signature(std::string_view text) && {
    return def_.signature = Signature::parse(text), std::move(*this);
  }
  OpBuilder&& numpy(const char* expression) && { return def_.numpy = expression, std::move(*this); }
  OpBuilder&& traits(uint32_t added) && { return def_.traits |= added, std::move(*this); }
  OpBuilder&& impure() && { return def_.traits &= ~kPure, std::move(*this); }
  OpBuilder&& outputs(int n) && { return def_.num_outputs = n, std::move(*this); }
  OpBuilder&& infer(InferFn fn) && { return def_.infer = fn, std::move(*this); }
  OpBuilder&& cpu(KernelFn fn) && {
    return def_.kernel[static_cast<int>(DeviceType::kCpu)] = fn, std::move(*this);
  }
  OpBuilder&& cuda(KernelFn fn) && {
    return def_.kernel[static_cast<int>(DeviceType::kCuda)] = fn, std::move(*this);
  }
  OpBuilder&& trace(ScalarTraceFn fn) && { return def_.scalar_trace = fn, std::move(*this); }
  OpBuilder&& composite(CompositeFn fn) && { return def_.composite = fn, std::move(*this); }
  OpBuilder&& update(CompositeFn fn) && { return def_.update = fn, std::move(*this); }
  OpBuilder&& vjp(VjpFn fn) && { return def_.vjp = fn, std::move(*this); }
  OpBuilder&& no_grad() && { return def_.traits |= kNoGrad, std::move(*this); }
  OpBuilder&& reduction(ReduceKind kind) && {
    return def_.reduce_kind = kind, def_.traits |= kReduction, std::move(*this);
  }
  OpBuilder&& sample(OpSample sample) && {
    return def_.samples.push_back(std::move(sample)), std::move(*this);
  }
  // Elementwise families set the signature, infer rule and traits at once. .scalar(f) then adds the
  // maths.
  OpBuilder&& unary(DTypeRule rule) &&;    // "x: Tensor"
  OpBuilder&& binary(DTypeRule rule) &&;   // "x: Tensor, y: Tensor"
  OpBuilder&& ternary(DTypeRule rule) &&;  // "x: Tensor, y: Tensor, z: Tensor"
  // An elementwise op that declares its signature itself (attributes, other names); its infer rule
  // is elementwise_infer.
  OpBuilder&& elementwise(DTypeRule rule) &&;
  // `Types`: the compute dtypes for which the maths is instantiated (kFloats, kNumbers, ..., see
  // elementwise.h). `Traced`: those of them that graphs fuse; for the others graphs call the
  // kernel.
  template <uint32_t Types, uint32_t Traced = Types, class F>
  OpBuilder&& scalar(F maths) &&;
  // Eager loops only, for maths that only the C library has (erfc). Graphs call the kernel and do
  // not fuse it.
  template <uint32_t Types, class F>
  OpBuilder&& native(F maths) &&;
  // The maths on std::complex numbers, in addition to .scalar or .native for real ones: eager
  // loops, which graphs call (complex_loops.h). `holomorphic` also says that the gradient rule
  // holds for them.
  template <class F>
  OpBuilder&& complex(F maths) &&;
  template <class F>
  OpBuilder&& holomorphic(F maths) && {
    return std::move(*this).traits(kHolomorphic).complex(maths);
  }

 private:
  OpDef def_;
};

// While one lives, a composite or gradient rule with these inputs runs, and the constants it makes
// (tables) are put on the inputs' device.
class TableScope {
 public:
  TableScope(OpSink* sink, std::span<const Val> inputs);
  ~TableScope();
  TableScope(const TableScope&) = delete;

 private:
  Device outer_;
};
// The constant on the device of the innermost TableScope. For sinks.
Tensor place_table(OpSink* sink, Tensor table);

// Runs the infer rule of ctx.op, after checking that a complex input only meets an op that takes
// it.
Status infer_outputs(InferCtx& ctx);
// Shape and dtype rule shared by all elementwise ops, driven by OpDef::dtype_rule.
Status elementwise_infer(InferCtx& ctx);
// The dtype an elementwise op computes in, given its input metas; the inputs are read as this
// dtype.
DType compute_dtype(const OpDef& op, std::span<const Meta* const> inputs);
// The dtype input i is read as: compute_dtype, or bool for the condition of a kSelect op.
inline DType operand_dtype(const OpDef& op, DType compute, int i) {
  return op.dtype_rule == DTypeRule::kSelect && i == 0 ? DType::kBool : compute;
}

// The maths of an elementwise op that computes in this dtype; null where graphs call the kernel.
inline ScalarTraceFn trace_for(const OpDef& op, DType compute) {
  const bool narrow = compute == DType::kFloat16 || compute == DType::kBFloat16;
  const int type = static_cast<int>(narrow ? DType::kFloat32 : compute);
  return (op.traced_types >> type & 1) != 0 ? op.scalar_trace : nullptr;
}

// Defines and exports the operator: `MSJIT_OP(tanh).doc(...)...;`
#define MSJIT_OP(op_name)          \
  extern const OpDef op_##op_name; \
  const OpDef op_##op_name = OpBuilder(#op_name)

}  // namespace msjit
