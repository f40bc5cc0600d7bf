// ScanCapture: a for loop as one Scan node (graph/scan.h). Its turns are alike, and they are too
// many to unroll, or their number is an open size. The body is run twice. The first run finds the
// tensors of which the loop takes rows and the lists to which it appends. In the second run these
// are known from the start, and that run becomes the node.
#pragma once

#include <deque>

#include "bytecode/loop_body.h"
#include "bytecode/values/iterators.h"
#include "graph/scan.h"

namespace msjit {

class ScanCapture final : public LoopBody {
 public:
  // The frame is at the loop's header, and its iterator has `count` items left; or at the test of a
  // while loop with so many turns.
  ScanCapture(Executor& x, SymFrame& frame, ScanPlan& plan, SymRef count, int fork_depth);

  // False with `why`, or with the executor failed.
  bool run();
  // x[key] of a tensor in the body, where the key contains the number of the turn. Fails the
  // executor if that is no row.
  bool row(const SymRef& tensor, const SymRef& key, SymRef* out);
  bool owns(const SymRef& turn) const;
  // Whether `next` is always the number after `turn`.
  bool follows(const SymRef& turn, const SymRef& next);
  // Whether the number of no turn is below zero, or `size` and more.
  bool stays_within(const SymRef& turn, const SymRef& size) const;
  // What `turn op bound` is in all turns. False: they differ, or it is not known.
  bool decides(const SymRef& turn, int op, const SymRef& bound, bool* out) const;
  // The number of turns where it is known and not too many to compute with each; else -1.
  int64_t known_turns() const;
  // What the current turn has of one number for each turn, as a tensor without axes.
  bool table_row(const Tensor& numbers, SymRef* out);
  // The number of a turn as an int32 tensor without axes.
  bool position(const SymRef& turn, SymRef* out);
  // `turn op other`, if that is again a number that steps evenly from turn to turn; else `out`
  // stays null.
  bool compute(const SymRef& turn, const SymRef& other, BinaryOp op, bool turn_left, SymRef* out);

 private:
  // Rows of a tensor (or of the rows of a list) along an axis: every `step`-th one from `first` on.
  struct Sequence {
    SymRef tensor;  // null: the numbers themselves
    int axis;
    SymRef first;
    int64_t step;
    Val whole, row;  // the tensor with these rows as axis 0, in order; a placeholder for one row
    Tensor numbers = {};  // one for each turn; without `tensor` and `first`
  };
  // The row that a tensor has at the turn's position now.
  bool row_at_position(const SymRef& tensor, const SymRef& key, SymRef* out);
  bool behind_own(const SymRef& value, SymRef* out) override;
  SymRef counter(const SymRef& initial, int64_t step) override;
  int bits_of_turns() const override;
  bool is_borrowed(const SymRef& value) const override;
  bool is_for_loop() const { return plan_.loop < 0; }
  bool run_body();
  bool check_lists();
  bool place_sequence(Sequence* sequence);
  void place_row(Sequence* sequence);
  Sequence* sequence(const SymRef& tensor, int axis, const SymRef& first, int64_t step);
  bool slice_rows(const Sequence& sequence, SymRef* whole);
  bool count_up(const Sequence& sequence, SymRef* whole);
  // The item that the iterator gives in the current turn.
  bool item(const SymRef& iterator, SymRef* out);
  bool known_item(const SymIterator& leaf, SymRef* out);
  SymRef make_turn(SymRef first, int64_t step);
  bool build();

  ScanPlan& plan_;
  const SymRef count_;
  std::vector<SymRef> turns_;  // kTurn values of the current turn
  bool prepared_ = false;
  int32_t first_node_ = 0, first_step_ = 0;
  std::deque<Sequence> sequences_;
  std::vector<SymRef> lists_;
  Vals stacked_;  // what the body appends to each of them
};

// `stack` or `concat` of a list to which a loop has appended, as one tensor. False: the executor
// failed because of another op.
bool join_rows(Executor& x, const OpDef& op, const SymRef& rows, const Attrs& attrs, SymRef* out);
// list.append in the body of a Scan.
bool append_row(Executor& x, const SymRef& rows, const SymRef& item);
BuiltinModel rows_method(const char* name);  // append and reverse; null for other names
bool rows_subscript(Executor& x, const SymRef& rows, const SymRef& key, SymRef* out);
// Whether `holds` is true of an iterator, or of one of the iterators that zip and enumerate wrap.
bool any_leaf(const SymIterator& it, bool (*holds)(const SymIterator&));
// Whether the items are those of a list, tuple or array, and the next one is a number.
bool walks_numbers(const SymIterator& leaf);
inline bool is_open_leaf(const SymIterator& leaf) {
  return leaf.kind == &iter_turns || leaf.kind == &iter_tensor_rows;
}
// Whether a key contains the number of a turn.
bool has_turn(const SymRef& key);
bool is_whole_slice(const SymRef& key);
// A slice between the numbers of a turn and of the next one, as x[:, t:t + 1] (scan_slices.cc).
bool has_turn_slice(const SymRef& key);
bool read_turn_slice(Executor& x, const SymRef& tensor, const SymRef& key, SymRef* out);
bool write_turn_slice(Executor& x, const SymRef& tensor, const SymRef& key, SymRef value);

}  // namespace msjit
