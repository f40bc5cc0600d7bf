#include "kernels/eager/tape.h"

#include <unordered_set>
#include <vector>

#include "kernels/core/gradients.h"
#include "kernels/eager/ordered_steps.h"
#include "kernels/eager/state.h"
#include "kernels/eager/tape_node.h"

namespace msjit {
namespace {

AutogradMeta& ensure_autograd(const Tensor& t) {
  TensorImpl* impl = t.impl();
  if (!impl->autograd) impl->autograd = new (pool_allocate(sizeof(AutogradMeta))) AutogradMeta;
  return *impl->autograd;
}

inline bool tracked_meta(const AutogradMeta& meta, const EagerState& state) {
  return meta.node || meta.requires_grad || (meta.parameter && state.level > 0);
}

// Nodes that wait to be freed by the outermost release on this thread. Freeing a node drops its
// inputs, which may free the next node, and chains are long; this avoids recursion.
struct Graveyard {
  TapeNode* head = nullptr;
  bool digging = false;
};
thread_local Graveyard t_graveyard;

TapeNodePtr make_node() {
  count_nodes(1);
  return TapeNodePtr(new (pool_allocate(sizeof(TapeNode))) TapeNode);
}

void save_input(SavedInput& saved, const Tensor& t, const EagerState& state) {
  saved.version = t.storage()->version;
  const AutogradMeta* meta = t.autograd();
  saved.wanted = meta && tracked_meta(*meta, state);
  if (saved.wanted && meta->node) {
    saved.node = meta->node;
    saved.output_index = meta->output_index;
    saved.version = meta->node->outputs[meta->output_index].version;  // of saved_value()
    return;
  }
  if (saved.wanted) saved.leaf = leaf_of(t);
  saved.value = t.detach();
}

void save_inputs(TapeNode& node, std::span<const Tensor> in) {
  for (const Tensor& t : in) {
    SavedInput& saved = node.inputs.emplace_back();
    if (t) save_input(saved, t, eager_state);
  }
}

// An in-place op is about to give `target`, which was a leaf, a history that leads through `node`.
// If that history holds the handle `target` itself, the handle is replaced by a new header there.
void break_cycles(TapeNode& node, const Tensor& target) {
  std::unordered_set<TapeNode*> seen{&node};
  std::vector<TapeNode*> pending{&node};
  while (!pending.empty()) {
    TapeNode* at = pending.back();
    pending.pop_back();
    for (SavedInput& input : at->inputs) {
      if (input.leaf && input.leaf.same(target)) input.leaf = target.detach();
      if (input.node && seen.insert(input.node.get()).second) pending.push_back(input.node.get());
    }
  }
}

// `written`: the op itself is about to bump the storage's version.
void attach_outputs(TapeNodePtr node, std::span<Tensor> out, bool written) {
  size_t last = out.size() - 1;
  const CustomBackward* custom = node->custom.get();  // used before the node is given away
  for (size_t i = 0; i < out.size(); ++i) {
    SavedOutput& saved = node->outputs.emplace_back();
    if (!out[i]) continue;
    saved.value = out[i].detach();
    saved.version = out[i].storage()->version + (written ? 1 : 0);
    if (node->op && !carries_gradient(*node->op, i, out[i].dtype())) continue;
    if (custom && !custom->tracks_output(i)) continue;
    AutogradMeta& meta = ensure_autograd(out[i]);
    meta.output_index = static_cast<int>(i);
    meta.version = saved.version;
    if (i == last) {
      meta.node = std::move(node);
      return;
    }
    meta.node = node;
  }
}

}  // namespace

// -- Nodes

void TapeNodePtr::retain(TapeNode* node) {
  if (node) node->refs.fetch_add(1, std::memory_order_relaxed);
}

void TapeNodePtr::release(TapeNode* node) {
  if (node->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Graveyard& graveyard = t_graveyard;
  node->next_dead = graveyard.head;
  graveyard.head = node;
  if (graveyard.digging) return;
  graveyard.digging = true;
  while (TapeNode* dead = graveyard.head) {
    graveyard.head = dead->next_dead;
    dead->~TapeNode();
    pool_free(dead, sizeof(TapeNode));
    count_nodes(-1);
  }
  graveyard.digging = false;
}

void destroy_autograd(AutogradMeta* meta) {
  meta->~AutogradMeta();
  pool_free(meta, sizeof(AutogradMeta));
}

const Tensor& leaf_of(const Tensor& t) {
  return t.autograd() && t.autograd()->leaf ? t.autograd()->leaf : t;
}

const Tensor& saved_value(const SavedInput& input) {
  return input.node ? input.node->outputs[input.output_index].value : input.value;
}

const char* TapeNode::name() const {
  if (op) return op->name;
  return custom ? custom->name() : "identity";
}

// -- What is tracked

bool is_tracked(const Tensor& t) {
  const EagerState& state = eager_state;
  return state.recording && t && t.autograd() && tracked_meta(*t.autograd(), state);
}

bool any_tracked(std::span<const Tensor> tensors) {
  const EagerState& state = eager_state;
  if (!state.recording) return false;
  for (const Tensor& t : tensors)
    if (t && t.autograd() && tracked_meta(*t.autograd(), state)) return true;
  return false;
}

void set_requires_grad(const Tensor& t, bool value) {
  if (!value && !t.autograd()) return;
  AutogradMeta& meta = ensure_autograd(t);
  meta.requires_grad = value;
  if (!value) meta.node = {};
}

bool requires_grad(const Tensor& t) {
  const AutogradMeta* meta = t.autograd();
  return meta && (meta->requires_grad || meta->parameter || meta->node);
}

bool is_state(const Tensor& t) { return t.autograd() && t.autograd()->is_state; }

void mark_parameter(const Tensor& t, bool requires_grad) {
  AutogradMeta& meta = ensure_autograd(t);
  meta.is_state = true;
  meta.parameter = requires_grad;
}

Tensor grad_of(const Tensor& t) { return t.autograd() ? t.autograd()->grad : Tensor(); }

void set_grad_of(const Tensor& t, Tensor grad) {
  if (grad || t.autograd()) ensure_autograd(t).grad = std::move(grad);
}

Tensor grad_input(const Tensor& t) {
  Tensor fresh = t.detach();
  fresh.impl()->meta.weak = false;
  if (is_tracked(t)) {
    TapeNodePtr node = make_node();
    save_inputs(*node.get(), {&t, 1});
    attach_outputs(std::move(node), {&fresh, 1}, false);
  } else {
    ensure_autograd(fresh).requires_grad = true;
  }
  return fresh;
}

Status check_history(const char* op, std::span<const Tensor> in) {
  for (const Tensor& t : in) {
    const AutogradMeta* meta = t ? t.autograd() : nullptr;
    if (!meta || !meta->node || meta->version == t.storage()->version) continue;
    return runtime_error(
        "[{}] an input with gradient history was modified in place through another tensor, got "
        "version {}, expected {}",
        op, t.storage()->version, meta->version);
  }
  return {};
}

bool is_view_of_tracked(const Tensor& t) {
  const AutogradMeta* meta = t.autograd();
  if (!meta || !meta->node) return false;
  const TapeNode& node = *meta->node.get();
  for (const SavedInput& input : node.inputs) {
    const Tensor& value = saved_value(input);
    if (value && value.storage().get() == t.storage().get())
      return !(node.op && node.op->has(kInPlace));
  }
  return node.custom && node.custom->is_view(static_cast<size_t>(meta->output_index));
}

ErrorPtr stale_error(const OpDef& op) {
  return runtime_error("[backward] a tensor that {} needs was modified in place after its use",
                       op.name);
}

// -- Recording

Tensor with_history(Tensor header, const Tensor& from) {
  if (!from.autograd()) return header;
  AutogradMeta& meta = ensure_autograd(header);
  meta = *from.autograd();
  meta.grad = {};
  meta.version = header.storage()->version;
  if (!meta.node) meta.leaf = leaf_of(from);
  return header;
}

Tensor stand_in(const Tensor& t) {
  Tensor header = with_history(t.detach(), t);
  if (t.autograd()) header.autograd()->version = t.autograd()->version;
  return header;
}

Status record_op(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                 std::span<Tensor> out) {
  bool in_place = op.has(kInPlace);
  if (in_place && in[0].autograd() && in[0].autograd()->is_state) return {};
  TapeNodePtr node = make_node();
  node->op = &op;
  if (!attrs.empty()) node->attrs = attrs;
  save_inputs(*node.get(), in);
  if (eager_state.hooked) [[unlikely]] {
    InlineVec<bool, 8> wanted;
    // As in MindSpore, the hooks get all that the gradient of any input reads. A number next to a
    // tensor is no such input.
    for (const Tensor& t : in) wanted.push_back(t && !t.meta().weak);
    MSJIT_TRY(node->packed, pack_tensors(op, in, attrs, out, wanted));
  }
  if (in_place && !node->inputs[0].node) break_cycles(*node.get(), in[0]);
  attach_outputs(std::move(node), out, in_place);
  return {};
}

namespace {

void record_step(std::shared_ptr<CustomBackward> backward, std::span<const Tensor> in,
                 std::span<Tensor> out, int64_t order) {
  if (out.empty()) return;
  TapeNodePtr node = make_node();
  node->order = order;
  node->custom = std::move(backward);
  save_inputs(*node.get(), in);
  for (uint32_t i = 0; i < node->inputs.size(); ++i) {
    if (!node->inputs[i].wanted && !node->custom->keeps_input(i)) node->inputs[i].value = {};
  }
  for (Tensor& t : out) {
    for (const Tensor& input : in)
      if (t && t.same(input)) t = t.detach();
  }
  attach_outputs(std::move(node), out, false);
}

}  // namespace

void record_custom(std::shared_ptr<CustomBackward> backward, std::span<const Tensor> in,
                   std::span<Tensor> out) {
  record_step(std::move(backward), in, out, 0);
}

void record_ordered(std::shared_ptr<CustomBackward> backward, std::span<const Tensor> in,
                    std::span<Tensor> out) {
  static std::atomic<int64_t> recorded{0};
  record_step(std::move(backward), in, out, recorded.fetch_add(1, std::memory_order_relaxed) + 1);
}

// -- Scopes

GradScope::GradScope(bool recording)
    : saved_level_(eager_state.level), saved_recording_(eager_state.recording) {
  eager_state.recording = recording;
  if (recording) ++eager_state.level;
}

GradScope::~GradScope() {
  eager_state.level = saved_level_;
  eager_state.recording = saved_recording_;
}

int grad_level() { return eager_state.level; }
bool grad_recording() { return eager_state.recording; }

}  // namespace msjit
