// kernels/cpu/nll.h on a device. A target out of range is only noted, and the next wait reports it.
#pragma once

#include "kernels/cpu/nll.h"

namespace msjit::devices {

Status nll_loss(const char* name, const nll::Settings& s, const Tensor& logits,
                const Tensor& target, const Tensor* weight, const Tensor& out);
Status nll_loss_grad(const char* name, const nll::Settings& s, const Tensor& grad,
                     const Tensor& target, const Tensor* weight, const Tensor& dx);

}  // namespace msjit::devices
