#include "kernels/core/auto_cast.h"

#include <string_view>
#include <unordered_map>

#include "kernels/core/registry.h"
#include "kernels/core/words.h"

namespace msjit {
namespace {

enum class Precision { kAsGiven, kLower, kFull };

// MindSpore's lists. Products and convolutions get faster with few bits and stay accurate enough.
// Functions that grow fast, sums, norms and losses do not, so they run in full precision.
Precision precision_of(const OpDef& op) {
  static const auto* lists = new std::unordered_map<std::string_view, Precision>([] {
    std::unordered_map<std::string_view, Precision> of;
    for (const char* name : {"conv2d", "conv2d_input_grad", "matmul", "linear"})
      of[name] = Precision::kLower;
    for (const char* name : {"pow",
                             "acos",
                             "asin",
                             "cosh",
                             "erfinv",
                             "exp",
                             "expm1",
                             "log",
                             "log1p",
                             "reciprocal",
                             "rsqrt",
                             "sinh",
                             "tan",
                             "softplus",
                             "layer_norm",
                             "batch_norm",
                             "batch_norm_train",
                             "group_norm",
                             "binary_cross_entropy_with_logits",
                             "prod",
                             "softmax",
                             "log_softmax",
                             "cumprod",
                             "cumsum",
                             "sum",
                             "nll_loss",
                             "cross_entropy"})
      of[name] = Precision::kFull;
    return of;
  }());
  const auto found = lists->find(op.name);
  return found == lists->end() ? Precision::kAsGiven : found->second;
}

bool is_float_tensor(const Val& value) {
  return value && is_float(value.dtype()) && !value.meta().weak;
}

Val cast_to(const Val& value, DType dtype) {
  return is_float_tensor(value) && value.dtype() != dtype ? words::cast(value, dtype) : value;
}

// Casts floats to `dtype`; wider ones keep their dtype.
Val widen(const Val& value, DType dtype) {
  return is_float_tensor(value) ? cast_to(value, promote(dtype, false, value.dtype(), false))
                                : value;
}

// The widest float dtype. The other floats are cast to it if the op does not do that itself.
DType widest(std::span<const Val> inputs) {
  DType dtype = DType::kBool;
  for (const Val& value : inputs)
    if (is_float_tensor(value))
      dtype = dtype == DType::kBool ? value.dtype() : promote(dtype, false, value.dtype(), false);
  return dtype;
}

}  // namespace

AutoCastCall auto_cast(const OpDef& op, std::span<const Val> inputs, DType dtype) {
  const Precision precision = op.has(kInPlace) ? Precision::kAsGiven : precision_of(op);
  AutoCastCall call{{inputs.begin(), inputs.end()}, {}};
  if (precision == Precision::kLower) {
    for (Val& value : call.inputs) value = cast_to(value, dtype);
    if (inputs.size() > 2 && inputs[2] && inputs[2].dtype() != dtype) {
      call.bias = inputs[2];
      call.inputs[2] = Val();
    }
  } else if (precision == Precision::kFull) {
    for (Val& value : call.inputs) value = widen(value, DType::kFloat32);
  } else if (!op.has(kInPlace) && !op.has(kElementwise)) {
    const DType wide = widest(inputs);
    for (Val& value : call.inputs) value = widen(value, wide);
  }
  return call;
}

Val add_bias(const OpDef& op, const Val& product, const Val& bias) {
  static const OpDef* const reshape = find_op("reshape");
  const bool by_channel = std::string_view(op.name) == "conv2d";
  return words::add(
      product, by_channel ? call(*reshape, {bias}, Attrs{AttrValue(IntList{1, -1, 1, 1})}) : bias);
}

}  // namespace msjit
