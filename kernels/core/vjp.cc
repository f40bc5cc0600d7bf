// The helpers of gradient rules (op.h: Vjp).
#include "kernels/core/words.h"

namespace msjit {

Val Vjp::grad(int i) const {
  return has_grad(i) ? output_grads[i] : words::zeros(sink, outputs[i].meta());
}

void Vjp::set_grad(int i, Val grad) {
  if (input_grads.size() < inputs.size()) input_grads.resize(inputs.size());
  if (!needs(i)) return;
  if (grad) {
    const Meta& wanted_meta = inputs[i].meta();
    if (!(grad.shape() == wanted_meta.shape)) grad = words::sum_to(grad, wanted_meta.shape);
    if (grad && grad.dtype() != wanted_meta.dtype) grad = words::cast(grad, wanted_meta.dtype);
  }
  input_grads[i] = std::move(grad);
}

Val Vjp::constant(double value, DType dtype) const { return words::number(sink, value, dtype); }

}  // namespace msjit
