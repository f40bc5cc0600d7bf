#include "graph/reads.h"

#include <algorithm>

#include "graph/control.h"

namespace msjit {

namespace {

using Seeds = uint64_t;  // a set of incoming gradients; the 64th and later ones share a bit
constexpr Seeds kAll = ~Seeds{0};

// A loop or branch that the backward run runs again reads larger inputs in place. Otherwise every
// call would copy a large table that a loop reads.
constexpr int64_t kMaxCopiedBytes = 256 << 10;

class Reads {
 public:
  explicit Reads(const JointParts& parts)
      : parts_(parts),
        joint_(parts.joint),
        from_(joint_.values.size()),
        asked_(joint_.values.size()),
        read_(joint_.values.size()),
        required_(joint_.values.size()),
        again_(joint_.values.size()) {
    find_sources();
    walk();
  }
  const std::vector<Seeds>& by_rules() const { return read_; }
  const std::vector<bool>& to_run_again() const { return again_; }

  std::vector<ValueId> required() const {
    std::vector<ValueId> ids;
    for (size_t v = 0; v < required_.size(); ++v)
      if (required_[v]) ids.push_back(static_cast<ValueId>(v));
    return ids;
  }

  // Assumes that the backward run has `kept` and recomputes the rest: for which seeds it reads each
  // value.
  std::vector<Seeds> needed(const std::vector<ValueId>& kept) const {
    std::vector<Seeds> needed = required_;
    std::vector<bool> is_kept(needed.size());
    for (ValueId id : kept) is_kept[id] = true;
    for (size_t n = joint_.nodes.size(); n-- > 0;) {
      const Node& node = joint_.nodes[n];
      Seeds again = 0;
      for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
        if (!is_kept[id]) again |= needed[id];
      for (ValueId id : node.inputs)
        if (id >= 0) needed[id] |= again;
    }
    return needed;
  }

 private:
  // Which seeds each value of the gradient part depends on.
  void find_sources() {
    for (size_t k = 0; k < parts_.seeds.size(); ++k)
      from_[parts_.seeds[k]] = Seeds{1} << std::min<size_t>(k, 63);
    for (size_t n = parts_.num_forward; n < joint_.nodes.size(); ++n) {
      const Node& node = joint_.nodes[n];
      Seeds sources = 0;
      for (ValueId id : node.inputs)
        if (id >= 0) sources |= from_[id];
      for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
        from_[id] |= sources;
    }
  }

  void walk() {
    for (ValueId id : parts_.gradients) {
      asked_[id] = read_[id] = from_[id] ? from_[id] : kAll;
      if (!from_[id]) required_[id] = kAll;
    }
    for (size_t n = joint_.nodes.size(); n-- > parts_.num_forward;) visit(n);
    for (size_t v = read_.size(); v-- > 0;)
      read_[storage_root(joint_, static_cast<ValueId>(v))] |= read_[v];
  }

  void visit(size_t n) {
    const Node& node = joint_.nodes[n];
    Seeds use = 0, sources = 0;
    for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id) {
      use |= asked_[id];
      sources |= from_[id];
    }
    if (sources) use &= sources;
    const auto control = parts_.control.find(static_cast<int32_t>(n));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id < 0) continue;
      asked_[id] |= use;
      if (sources && !from_[id]) required_[id] |= use;
      const bool only_again =
          control != parts_.control.end() && i < control->second.size() && !control->second[i];
      if (!only_again) read_[id] |= use;
      if (only_again && use) again_[storage_root(joint_, id)] = true;
    }
  }

  const JointParts& parts_;
  const Graph& joint_;
  std::vector<Seeds> from_;      // the seeds that a value depends on
  std::vector<Seeds> asked_;     // the seeds whose gradients need the value
  std::vector<Seeds> read_;      // those of them for which a rule reads its data
  std::vector<Seeds> required_;  // of values that depend on no seed: the seeds for which the
                                 // gradient part reads them
  std::vector<bool> again_;      // a control node reads the data in this storage, to run again
};

}  // namespace

std::vector<bool> storage_read(const JointParts& parts) {
  const Reads reads(parts);
  return std::vector<bool>(reads.by_rules().begin(), reads.by_rules().end());
}

// Inputs, outputs and what shares their storage are exposed: the program may write to them before
// the backward run. Keeping an exposed value as it is means that such a write is an error in the
// backward run. That is right only for seeds with a rule that reads the value's storage, since
// eager code then fails too. If other seeds need the value as well, it is kept as a copy.
KeptValues keep_values(const JointParts& parts) {
  const Reads reads(parts);
  const Graph& joint = parts.joint;
  std::vector<bool> exposed(joint.values.size()), copied_root(joint.values.size());
  for (ValueId id : joint.inputs) exposed[id] = true;
  for (ValueId id : parts.outputs) exposed[storage_root(joint, id)] = true;
  const auto may_copy = [&](size_t v) {
    const Meta& meta = joint.values[v].meta;
    return !reads.to_run_again()[v] ||
           meta.shape.numel() * item_size(meta.dtype) <= kMaxCopiedBytes;
  };
  for (size_t v = 0; v < exposed.size(); ++v)
    copied_root[v] = exposed[v] && !reads.by_rules()[v] && may_copy(v);
  KeptValues kept;
  for (bool settled = false; !settled;) {
    kept.copied.resize(exposed.size());
    for (size_t v = 0; v < exposed.size(); ++v)
      kept.copied[v] = copied_root[storage_root(joint, static_cast<ValueId>(v))];
    kept.ids = choose_residuals(joint, reads.required(), parts.outputs, kept.copied);
    const std::vector<Seeds> needed = reads.needed(kept.ids);
    settled = true;
    for (ValueId id : kept.ids) {
      const ValueId root = storage_root(joint, id);
      if (!exposed[root] || copied_root[root] || !may_copy(root)) continue;
      if (!(needed[id] & ~reads.by_rules()[root])) continue;
      copied_root[root] = true;
      settled = false;
    }
  }
  return kept;
}

}  // namespace msjit
