// The tape: reverse-mode autodiff over recorded eager ops. A recorded output points at its TapeNode; a node holds
// its inputs, attributes and outputs (without their history, so no reference cycle), and the rule to
// differentiate it: OpDef::vjp run on the eager sink, so gradients of gradients work.
//
// What is tracked: a tensor whose requires_grad was set by the user, at all times; a Parameter, only inside a grad transform
// (GradScope), as in MindSpore, so that plain inference records nothing.
#pragma once

#include <memory>

#include "kernels/core/op.h"

namespace msjit {

// A differentiable step that is not one op: a compiled region. Runs its own backward executable.
class CustomBackward {
 public:
  virtual ~CustomBackward() = default;
  virtual const char* name() const = 0;
  // Gradients of the inputs given those of the outputs. `create_graph`: the result must itself be tracked.
  virtual Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                          std::span<const Tensor> output_grads,
                                          std::span<const bool> wanted, bool create_graph) = 0;
};

class TapeNode;
using TapeNodePtr = std::shared_ptr<TapeNode>;

struct AutogradMeta {
  TapeNodePtr node;         // null for leaves
  int output_index = 0;
  bool requires_grad = false;  // set by the user, or a leaf of a grad transform
  bool parameter = false;      // tracked only inside a GradScope
  Tensor grad;                 // accumulated by backward()
};

// True when an op on `t` must be recorded now.
bool is_tracked(const Tensor& t);
bool any_tracked(std::span<const Tensor> tensors);
void set_requires_grad(const Tensor& t, bool value);
bool requires_grad(const Tensor& t);
void mark_parameter(const Tensor& t, bool requires_grad);

void record_op(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
               std::span<Tensor> out);
void record_custom(std::shared_ptr<CustomBackward> backward, std::span<const Tensor> in,
                   std::span<Tensor> out);

// Inside it Parameters are tracked; nests. `recording` false = stop_gradient region (no_grad).
class GradScope {
 public:
  explicit GradScope(bool recording = true);
  ~GradScope();
  GradScope(const GradScope&) = delete;

 private:
  int saved_level_;
  bool saved_recording_;
};
int grad_level();      // number of enclosing grad transforms
bool grad_recording();  // false inside no_grad

// Gradients of `outputs` (seeded with `seeds`; null seed = ones) with respect to `wrt`; zeros where
// unreachable. `create_graph`: record the backward ops too.
Result<std::vector<Tensor>> gradients(std::span<const Tensor> outputs, std::span<const Tensor> seeds,
                                      std::span<const Tensor> wrt, bool create_graph);
// Accumulates into .grad of every leaf with requires_grad.
Status backward(const Tensor& output, const Tensor& seed);

}  // namespace msjit
