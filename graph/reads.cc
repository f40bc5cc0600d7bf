#include "graph/reads.h"

#include <algorithm>
#include <span>

#include "graph/control.h"

namespace msjit {
namespace {

// A loop or branch that the backward run runs again reads larger inputs in place. Otherwise every
// call would copy a large table that a loop reads.
constexpr int64_t kMaxCopiedBytes = 256 << 10;

// What a backward run may be asked for: pairs of an incoming gradient, the seed, and the gradient
// of an input. Pairs beyond the limit share places.
class Pairs {
 public:
  Pairs(size_t seeds, size_t gradients)
      : rows_(std::clamp<size_t>(seeds, 1, kMostRows)),
        columns_(std::clamp<size_t>(gradients, 1, kMost / rows_)) {}
  size_t words() const { return (rows_ * columns_ + 63) / 64; }
  size_t row(size_t seed) const { return std::min(seed, rows_ - 1); }
  size_t column(size_t gradient) const { return std::min(gradient, columns_ - 1); }
  size_t num_rows() const { return rows_; }
  size_t num_columns() const { return columns_; }
  size_t place(size_t row, size_t column) const { return row * columns_ + column; }

 private:
  static constexpr size_t kMostRows = 32, kMost = 1024;
  size_t rows_, columns_;
};

// A set of pairs for each value.
class Sets {
 public:
  using Set = std::span<uint64_t>;
  using ConstSet = std::span<const uint64_t>;
  Sets(size_t values, const Pairs& pairs) : words_(pairs.words()), bits_(values * pairs.words()) {}
  Set operator[](size_t v) { return {&bits_[v * words_], words_}; }
  ConstSet operator[](size_t v) const { return {&bits_[v * words_], words_}; }

  static void put(Set set, size_t place) { set[place / 64] |= uint64_t{1} << place % 64; }
  static void unite(Set set, ConstSet with) {
    for (size_t i = 0; i < set.size(); ++i) set[i] |= with[i];
  }
  static void intersect(Set set, ConstSet with) {
    for (size_t i = 0; i < set.size(); ++i) set[i] &= with[i];
  }
  static bool any(ConstSet set) {
    return std::ranges::any_of(set, [](uint64_t word) { return word != 0; });
  }
  static bool includes(ConstSet set, ConstSet part) {
    for (size_t i = 0; i < set.size(); ++i)
      if (part[i] & ~set[i]) return false;
    return true;
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

class Reads {
 public:
  explicit Reads(const JointParts& parts)
      : parts_(parts),
        joint_(parts.joint),
        pairs_(parts.seeds.size(), parts.gradients.size()),
        from_(joint_.values.size(), pairs_),
        asked_(joint_.values.size(), pairs_),
        read_(joint_.values.size(), pairs_),
        required_(joint_.values.size(), pairs_),
        again_(joint_.values.size()) {
    find_sources();
    ask_for_gradients();
    for (size_t n = joint_.nodes.size(); n-- > parts_.num_forward;) visit(n);
    for (size_t v = joint_.values.size(); v-- > 0;)
      Sets::unite(read_[storage_root(joint_, static_cast<ValueId>(v))], read_[v]);
  }
  Sets::ConstSet by_rules(size_t v) const { return read_[v]; }
  bool to_run_again(size_t v) const { return again_[v]; }

  std::vector<ValueId> required() const {
    std::vector<ValueId> ids;
    for (size_t v = 0; v < joint_.values.size(); ++v)
      if (Sets::any(required_[v])) ids.push_back(static_cast<ValueId>(v));
    return ids;
  }

  // Assumes that the backward run has `kept` and recomputes the rest: for which pairs it reads each
  // value.
  Sets needed(const std::vector<ValueId>& kept) const {
    Sets needed = required_;
    std::vector<bool> is_kept(joint_.values.size());
    for (ValueId id : kept) is_kept[id] = true;
    Sets scratch(1, pairs_);
    for (size_t n = joint_.nodes.size(); n-- > 0;) {
      const Node& node = joint_.nodes[n];
      const Sets::Set again = scratch[0];
      std::ranges::fill(again, 0);
      for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
        if (!is_kept[id]) Sets::unite(again, needed[id]);
      for (ValueId id : node.inputs)
        if (id >= 0) Sets::unite(needed[id], again);
    }
    return needed;
  }

 private:
  // For each value of the gradient part the pairs with the seeds that it depends on.
  void find_sources() {
    for (size_t k = 0; k < parts_.seeds.size(); ++k)
      for (size_t column = 0; column < pairs_.num_columns(); ++column)
        Sets::put(from_[parts_.seeds[k]], pairs_.place(pairs_.row(k), column));
    Sets scratch(1, pairs_);
    for (size_t n = parts_.num_forward; n < joint_.nodes.size(); ++n) {
      const Node& node = joint_.nodes[n];
      const Sets::Set sources = scratch[0];
      std::ranges::fill(sources, 0);
      for (ValueId id : node.inputs)
        if (id >= 0) Sets::unite(sources, from_[id]);
      for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id)
        Sets::unite(from_[id], sources);
    }
  }

  void ask_for_gradients() {
    for (size_t j = 0; j < parts_.gradients.size(); ++j)
      for (ValueId id : {parts_.gradients[j].value, parts_.gradients[j].arrives})
        if (id >= 0) ask_for(id, pairs_.column(j));
  }

  void ask_for(ValueId id, size_t column) {
    Sets wanted(1, pairs_);
    for (size_t row = 0; row < pairs_.num_rows(); ++row)
      Sets::put(wanted[0], pairs_.place(row, column));
    const bool depends = Sets::any(from_[id]);
    if (depends) Sets::intersect(wanted[0], from_[id]);
    Sets::unite(asked_[id], wanted[0]);
    Sets::unite(read_[id], wanted[0]);
    if (!depends) Sets::unite(required_[id], wanted[0]);
  }

  void visit(size_t n) {
    const Node& node = joint_.nodes[n];
    Sets scratch(2, pairs_);
    const Sets::Set use = scratch[0], sources = scratch[1];
    for (ValueId id = node.first_output; id < node.first_output + node.num_outputs; ++id) {
      Sets::unite(use, asked_[id]);
      Sets::unite(sources, from_[id]);
    }
    const bool depends = Sets::any(sources);
    if (depends) Sets::intersect(use, sources);
    if (!Sets::any(use)) return;
    const auto control = parts_.control.find(static_cast<int32_t>(n));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id < 0) continue;
      Sets::unite(asked_[id], use);
      if (depends && !Sets::any(from_[id])) Sets::unite(required_[id], use);
      const bool only_again =
          control != parts_.control.end() && i < control->second.size() && !control->second[i];
      if (!only_again) Sets::unite(read_[id], use);
      if (only_again) again_[storage_root(joint_, id)] = true;
    }
  }

  const JointParts& parts_;
  const Graph& joint_;
  Pairs pairs_;
  Sets from_;      // the pairs with the seeds that a value depends on
  Sets asked_;     // the pairs that need the value
  Sets read_;      // those of them for which a rule reads its data
  Sets required_;  // of values that depend on no seed: the pairs for which the gradient part reads
                   // them
  std::vector<bool> again_;  // a control node reads the data in this storage, to run again
};

}  // namespace

std::vector<bool> storage_read(const JointParts& parts) {
  const Reads reads(parts);
  std::vector<bool> read(parts.joint.values.size());
  for (size_t v = 0; v < read.size(); ++v) read[v] = Sets::any(reads.by_rules(v));
  return read;
}

// Inputs, outputs and what shares their storage are exposed: the program may write to them before
// the backward run. Keeping an exposed value as it is means that such a write is an error in the
// backward run. That is right only for pairs with a rule that reads the value's storage, since
// eager code then fails too. If other pairs need the value as well, it is kept as a copy.
KeptValues keep_values(const JointParts& parts) {
  const Reads reads(parts);
  const Graph& joint = parts.joint;
  std::vector<bool> exposed(joint.values.size()), copied_root(joint.values.size());
  for (ValueId id : joint.inputs) exposed[id] = true;
  for (ValueId id : parts.outputs) exposed[storage_root(joint, id)] = true;
  const auto may_copy = [&](size_t v) {
    const Meta& meta = joint.values[v].meta;
    return !reads.to_run_again(v) || meta.shape.numel() * item_size(meta.dtype) <= kMaxCopiedBytes;
  };
  for (size_t v = 0; v < exposed.size(); ++v)
    copied_root[v] = exposed[v] && !Sets::any(reads.by_rules(v)) && may_copy(v);
  KeptValues kept;
  for (bool settled = false; !settled;) {
    kept.copied.resize(exposed.size());
    for (size_t v = 0; v < exposed.size(); ++v)
      kept.copied[v] = copied_root[storage_root(joint, static_cast<ValueId>(v))];
    kept.ids = choose_residuals(joint, reads.required(), parts.outputs, kept.copied);
    const Sets needed = reads.needed(kept.ids);
    settled = true;
    for (ValueId id : kept.ids) {
      const ValueId root = storage_root(joint, id);
      if (!exposed[root] || copied_root[root] || !may_copy(root)) continue;
      if (Sets::includes(reads.by_rules(root), needed[id])) continue;
      copied_root[root] = true;
      settled = false;
    }
  }
  return kept;
}

}  // namespace msjit
