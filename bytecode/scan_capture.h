// For loops as one Scan: their turns are alike, and too many to unroll, or as many as an open size
// says. The body is run twice. The first run finds which tensors the loop takes rows of and which
// lists it appends to; for the second one both are in place, and what it makes is the node.
#pragma once

#include <deque>

#include "bytecode/loop_body.h"
#include "bytecode/values/iterators.h"
#include "graph/scan.h"

namespace msjit {

class ScanCapture final : public LoopBody {
 public:
  // The frame stands at the header, its iterator before `count` more items.
  ScanCapture(Executor& x, SymFrame& frame, ScanPlan& plan, SymRef count);

  // False with `why`, or with the executor failed.
  bool run();
  // x[key] of a tensor in the body, where the key has the number of the turn. The executor fails
  // where that is no row.
  bool row(const SymRef& tensor, const SymRef& key, SymRef* out);
  bool owns(const SymRef& turn) const;
  // turn + other and the like, where that is the number of a turn too; null: it is not.
  bool compute(const SymRef& turn, const SymRef& other, BinaryOp op, bool turn_left, SymRef* out);

 private:
  // Rows of a tensor, or of a list's rows, along an axis: every `step`-th one from `first` on.
  struct Sequence {
    SymRef tensor;
    int axis;
    SymRef first;
    int64_t step;
    Val whole, row;  // with these rows first, in order; the placeholder for one
  };
  bool behind_own(const SymRef& value, SymRef* out) override;
  bool is_borrowed(const SymRef& value) const override;
  bool run_body();
  bool check_lists();
  bool place_sequence(Sequence* sequence);
  void place_row(Sequence* sequence);
  Sequence* sequence(const SymRef& tensor, int axis, const SymRef& first, int64_t step);
  bool slice_rows(const Sequence& sequence, SymRef* whole);
  // What the iterator gives in the turn at hand.
  bool item(const SymRef& iterator, SymRef* out);
  SymRef make_turn(SymRef first, int64_t step);
  bool build();

  ScanPlan& plan_;
  const SymRef count_;
  std::vector<SymRef> turns_;  // kTurn: the numbers of the turn at hand
  bool prepared_ = false;
  int32_t first_node_ = 0, first_step_ = 0;
  std::deque<Sequence> sequences_;
  std::vector<SymRef> lists_;
  Vals stacked_;  // what is appended to them, in the body
};

// `stack` or `concat` of a list that a loop has appended to, as one tensor. False: the executor
// failed, where it is another op.
bool join_rows(Executor& x, const OpDef& op, const SymRef& rows, const Attrs& attrs, SymRef* out);
// list.append in the body of such a loop.
bool append_row(Executor& x, const SymRef& rows, const SymRef& item);
BuiltinModel rows_method(const char* name);  // append and reverse; null for other names
bool rows_subscript(Executor& x, const SymRef& rows, const SymRef& key, SymRef* out);
// Whether `holds` is true of an iterator, or of one of those that zip and enumerate run over.
bool any_leaf(const SymIterator& it, bool (*holds)(const SymIterator&));
inline bool is_open_leaf(const SymIterator& leaf) {
  return leaf.kind == &iter_turns || leaf.kind == &iter_tensor_rows;
}
// Whether a key has the number of a turn in it.
bool has_turn(const SymRef& key);

}  // namespace msjit
