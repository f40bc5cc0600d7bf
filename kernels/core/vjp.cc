// The helpers of gradient rules (op.h: Vjp).
#include <algorithm>

#include "kernels/core/words.h"

namespace msjit {

bool Vjp::conjugates() const {
  if (!op->has(kHolomorphic)) return false;
  const auto is_complex_val = [](const Val& value) { return value && is_complex(value.dtype()); };
  return std::any_of(outputs.begin(), outputs.end(), is_complex_val);
}

Val Vjp::grad(int i) const {
  if (!has_grad(i)) return words::zeros(sink, outputs[i].meta());
  return conjugates() ? words::conj(output_grads[i]) : output_grads[i];
}

// Whether the gradients of integer inputs are floats. They are for an operator that lifts integers
// to floats, and for one on integers that receives a float gradient. A conversion is undone, so its
// gradient is not: that of an operand next to a float one, or by `cast`.
static bool keeps_float(const Vjp& v) {
  if (v.op->dtype_rule == DTypeRule::kCast) return false;
  const auto is_float_val = [](const Val& value) { return value && is_inexact(value.dtype()); };
  if (std::any_of(v.inputs.begin(), v.inputs.end(), is_float_val)) return false;
  return v.op->dtype_rule == DTypeRule::kFloat ||
         std::any_of(v.output_grads.begin(), v.output_grads.end(), is_float_val);
}

void Vjp::set_grad(int i, Val grad) {
  if (input_grads.size() < inputs.size()) input_grads.resize(inputs.size());
  if (!needs(i)) return;
  if (grad) {
    const Meta& wanted_meta = inputs[i].meta();
    if (conjugates()) grad = words::conj(grad);
    if (!(grad.shape() == wanted_meta.shape)) grad = words::sum_to(grad, wanted_meta.shape);
    if (grad && grad.dtype() != wanted_meta.dtype &&
        (is_inexact(wanted_meta.dtype) || !is_inexact(grad.dtype()) || !keeps_float(*this)))
      grad = words::cast(grad, wanted_meta.dtype);
  }
  input_grads[i] = std::move(grad);
}

Val Vjp::constant(double value, DType dtype) const { return words::number(sink, value, dtype); }

}  // namespace msjit
