// The tape: reverse-mode autodiff over recorded eager ops. A recorded output points at its
// TapeNode. A node holds its inputs, its attributes, its outputs (without history, so there is no
// reference cycle) and its gradient rule. The rule is OpDef::vjp run on the eager sink, so
// gradients of gradients work.
//
// Two kinds of tensors are tracked: one whose requires_grad the user has set, at all times; and a
// Parameter, but only inside a gradient transform (GradScope), as in MindSpore. So plain inference
// records nothing.
#pragma once

#include <memory>

#include "kernels/core/op.h"

namespace msjit {

// A request to a CustomBackward. With `create_graph` the inputs and outputs have their history, ops
// are recorded, and the result must be tracked. Without it nothing is recorded.
struct BackwardRequest {
  std::span<const Tensor> output_grads;  // null = none arrived
  std::span<const bool> wanted;          // the inputs whose gradients are asked for
  bool create_graph = false;
};

// A differentiable step that is not one op: a compiled region or a user-written gradient.
class CustomBackward {
 public:
  virtual ~CustomBackward() = default;
  virtual const char* name() const = 0;
  // Whether run() ever reads the data of this input. If it does not and the input is untracked, the
  // input is not kept and run() gets a null handle for it.
  virtual bool keeps_input(size_t i) const { return true; }
  // Whether run() reads the data of this input or output for this request. Only then is a later
  // write to it an error. Asked for tensors that were written to.
  virtual bool reads_input(size_t i, const BackwardRequest& request) const { return true; }
  virtual bool reads_output(size_t i, const BackwardRequest& request) const { return true; }
  // Whether this output depends on a tracked input and so gets a history.
  virtual bool tracks_output(size_t i) const { return true; }
  // Whether this output is a view of another value of the step, which is tracked, rather than of an
  // input.
  virtual bool is_view(size_t output) const { return false; }
  // One gradient per input; a null handle means zero.
  virtual Result<std::vector<Tensor>> run(std::span<const Tensor> inputs,
                                          std::span<const Tensor> outputs,
                                          const BackwardRequest& request) = 0;
};

class TapeNode;

// Owning handle. Dropping the last one frees the node, and what it alone kept alive, without
// recursion.
class TapeNodePtr {
 public:
  TapeNodePtr() = default;
  explicit TapeNodePtr(TapeNode* node)
      : node_(node) {}  // steals; TapeNode::share() adds a reference
  TapeNodePtr(const TapeNodePtr& other) : node_(other.node_) { retain(node_); }
  TapeNodePtr(TapeNodePtr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  TapeNodePtr& operator=(TapeNodePtr other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~TapeNodePtr() {
    if (node_) release(node_);
  }
  TapeNode* get() const { return node_; }
  TapeNode* operator->() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  static void retain(TapeNode* node);
  static void release(TapeNode* node);
  TapeNode* node_ = nullptr;
};

struct AutogradMeta {
  TapeNodePtr node;  // null for leaves
  int output_index = 0;
  bool requires_grad = false;  // set by the user, or a leaf of a grad transform
  bool parameter = false;      // tracked only inside a GradScope
  bool is_state = false;  // a Parameter, whether tracked or not: in-place writes give it no history
  uint64_t version = 0;   // of the storage when `node` produced it
  Tensor grad;            // accumulated by backward()
  Tensor leaf;            // the leaf that this header stands in for; null: none
};

// True when an op on `t` must be recorded now.
bool is_tracked(const Tensor& t);
bool any_tracked(std::span<const Tensor> tensors);
void set_requires_grad(const Tensor& t, bool value);
bool requires_grad(const Tensor& t);
// A Parameter, tracked or not.
bool is_state(const Tensor& t);
void mark_parameter(const Tensor& t, bool requires_grad);
// The gradient accumulated by backward(); a null handle when there is none. Setting a null handle
// clears it.
Tensor grad_of(const Tensor& t);
void set_grad_of(const Tensor& t, Tensor grad);
// A new header on the same data, as an input of a gradient transform. It is a leaf, connected to
// `t` when an enclosing transform tracks `t`. So nested transforms that are given one tensor stay
// apart.
Tensor grad_input(const Tensor& t);

// A new header on what `t` holds now, with its history: an op on it is recorded as an op on `t`.
Tensor stand_in(const Tensor& t);
// `header`, which holds the values of `from` in other memory, with the history of `from`.
Tensor with_history(Tensor header, const Tensor& from);

// Only hooks on saved tensors (saved_hooks.h) can make it fail.
Status record_op(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                 std::span<Tensor> out);
// `out`: outputs that the caller has not handed out yet; they may include values that only run()
// needs. A handle that is also an input is left as it is.
void record_custom(std::shared_ptr<CustomBackward> backward, std::span<const Tensor> in,
                   std::span<Tensor> out);

// -- For the eager sink and compiled regions --
// An error when the storage of an input with a history was written through another handle: such an
// input has lost its history.
Status check_history(const char* op, std::span<const Tensor> in);
bool is_view_of_tracked(const Tensor& t);
ErrorPtr stale_error(const OpDef& op);

// Inside a scope Parameters are tracked; scopes nest. `recording` false: a stop_gradient region
// (no_grad).
class GradScope {
 public:
  explicit GradScope(bool recording = true);
  ~GradScope();
  GradScope(const GradScope&) = delete;

 private:
  int saved_level_;
  bool saved_recording_;
};
int grad_level();       // number of enclosing grad transforms
bool grad_recording();  // false inside no_grad
// Inside a gradient transform that records at the moment
inline bool gradients_asked() { return grad_level() > 0 && grad_recording(); }

// Gradients of `outputs` with respect to `wrt`; zeros where none arrives. `seeds` are the gradients
// of the outputs; a null or missing one means ones. `create_graph`: also records the backward ops,
// for an enclosing transform (grad_level() > 0 after this transform's scope has closed) or because
// the user asked for it.
Result<std::vector<Tensor>> gradients(std::span<const Tensor> outputs,
                                      std::span<const Tensor> seeds, std::span<const Tensor> wrt,
                                      bool create_graph);
// gradients() within CustomBackward::run() with `create_graph`; null where none arrives.
Result<std::vector<Tensor>> inner_gradients(std::span<const Tensor> outputs,
                                            std::span<const Tensor> seeds,
                                            std::span<const Tensor> wrt);
// Accumulates into the gradient of every leaf that was tracked when it was used.
Status backward(const Tensor& output, const Tensor& seed, bool create_graph = false);

// Tape nodes alive in the process, for leak tests.
int64_t live_tape_nodes();

}  // namespace msjit
