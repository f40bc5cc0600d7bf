#include "pylib/ext/auto_cast.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "guards/py/convert.h"
#include "kernels/core/thread_stack.h"
#include "kernels/core/words.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/tensor.h"

namespace msjit {

thread_local constinit DType auto_cast_dtype = DType::kBool;

namespace {

thread_local constinit ThreadStack<DType> t_outer;

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

bool is_float(const Tensor& t) { return t && is_inexact(t.dtype()) && !is_complex(t.dtype()); }

Val cast_to(const Tensor& t, DType dtype) {
  const Val value(&eager_sink(), t);
  return is_float(t) && !t.meta().weak && t.dtype() != dtype ? words::cast(value, dtype) : value;
}

// Adds the bias in its own dtype to a product or convolution that was computed without it.
Val add_bias(const OpDef& op, const Val& product, const Tensor& bias) {
  Val value(&eager_sink(), bias);
  if (std::string_view(op.name) == "conv2d")
    value = words::reshape(value, Shape{int64_t{1}, bias.dim(0), int64_t{1}, int64_t{1}});
  return words::add(product, value);
}

Status run_lower(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, TensorVec* out) {
  EagerSink& sink = eager_sink();
  Vals inputs;
  for (const Tensor& t : in) inputs.push_back(t ? cast_to(t, auto_cast_dtype) : Val());
  Tensor bias;
  if (in.size() > 2 && in[2] && in[2].dtype() != auto_cast_dtype) {
    bias = in[2];
    inputs[2] = Val();
  }
  MSJIT_OK(sink.take_error());
  MSJIT_TRY(Vals results, sink.apply(op, inputs, attrs));
  if (bias) results[0] = add_bias(op, results[0], bias);
  MSJIT_OK(sink.take_error());
  for (const Val& result : results) out->push_back(result.tensor());
  return {};
}

// Casts floats to `dtype`; wider ones keep their dtype.
Status run_cast(const OpDef& op, std::span<const Tensor> in, DType dtype, const Attrs& attrs,
                TensorVec* out) {
  TensorVec inputs;
  for (const Tensor& t : in)
    inputs.push_back(is_float(t) ? cast_to(t, promote(dtype, false, t.dtype(), false)).tensor()
                                 : Tensor(t));
  MSJIT_OK(eager_sink().take_error());
  return run_op(op, inputs, attrs, out);
}

// The widest float dtype. The other floats are cast to it if the op does not do that itself.
DType widest(std::span<const Tensor> in) {
  DType dtype = DType::kBool;
  for (const Tensor& t : in)
    if (is_float(t) && !t.meta().weak)
      dtype = dtype == DType::kBool ? t.dtype() : promote(dtype, false, t.dtype(), false);
  return dtype;
}

Ref push_auto_cast(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {"dtype", nullptr};
  PyObject* a[1];
  if (!parse_args(args, "push_auto_cast", kNames, 1, a)) return {};
  DType dtype;
  if (!dtype_from_object(a[0], "push_auto_cast", &dtype)) return {};
  t_outer.emplace(auto_cast_dtype);
  auto_cast_dtype = dtype;
  return Ref::none();
}

Ref pop_auto_cast(PyObject*, const Args& args) {
  static constexpr const char* kNames[] = {nullptr};
  if (!parse_args(args, "pop_auto_cast", kNames, 0, nullptr)) return {};
  auto_cast_dtype = t_outer.empty() ? DType::kBool : t_outer.top();
  if (!t_outer.empty()) t_outer.pop();
  return Ref::none();
}

}  // namespace

Status run_auto_cast(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                     TensorVec* out) {
  if (op.has(kInPlace)) return run_op(op, in, attrs, out);
  switch (precision_of(op)) {
    case Precision::kLower: return run_lower(op, in, attrs, out);
    case Precision::kFull: return run_cast(op, in, DType::kFloat32, attrs, out);
    case Precision::kAsGiven: break;
  }
  if (op.has(kElementwise)) return run_op(op, in, attrs, out);
  return run_cast(op, in, widest(in), attrs, out);
}

PyMethodDef g_auto_cast_functions[] = {
    method<push_auto_cast>("push_auto_cast",
                           "push_auto_cast(dtype)\n--\n\nThis thread's operators compute in this "
                           "dtype where they may, from now on."),
    method<pop_auto_cast>("pop_auto_cast",
                          "pop_auto_cast()\n--\n\nTakes the last such dtype away again."),
    {nullptr}};

}  // namespace msjit
