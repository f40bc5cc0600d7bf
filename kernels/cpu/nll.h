// Negative log likelihood of class indices, shared by nll_loss and its gradient: shape rules, class
// checks, weights.
#pragma once

#include "kernels/core/op.h"

namespace msjit::nll {

enum class Reduction : uint8_t { kNone, kMean, kSum };
Result<Reduction> reduction_of(const char* name, const AttrValue& value);

struct Settings {
  int64_t ignore_index;
  Reduction reduction;
  double smoothing;  // share of the loss spread evenly over the classes
};
// attrs[first] on: ignore_index, reduction, label_smoothing.
Result<Settings> read_settings(const char* name, const Attrs& attrs, int first);

// Log probabilities (N, C, d1, ...) or (C) against targets (N, d1, ...) or a 0-d one.
Status check_target(const InferCtx& ctx, const Shape& logits, const Meta& target);
Status check_weight(const InferCtx& ctx, const Shape& logits, const Meta& weight);

// The target positions with their class, and the weight of each class, prepared for the loops.
struct Problem {
  int64_t batch, classes, inner;
  Tensor target;  // int64, contiguous
  Tensor weight;  // of the compute dtype, one per class
};
Result<Problem> prepare(const char* name, const Shape& logits, const Tensor& target,
                        const Tensor* weight, DType dtype, int64_t ignore_index);

Status loss(const Problem& p, const Settings& s, const Tensor& logits, const Tensor& out);
Status loss_grad(const Problem& p, const Settings& s, const Tensor& grad, const Tensor& dx);

}  // namespace msjit::nll
