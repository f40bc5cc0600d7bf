// For loops as one Scan: their turns are alike, and too many to unroll, or as many as an open size
// says. The body is run twice. The first run finds which tensors the loop takes rows of and which
// lists it appends to; for the second one both are in place, and what it makes is the node.
#pragma once

#include "bytecode/loop_body.h"
#include "graph/scan.h"

namespace msjit {

class ScanCapture final : public LoopBody {
 public:
  // The frame stands at the header, its iterator before `count` more items, from number `start` on.
  ScanCapture(Executor& x, SymFrame& frame, ScanPlan& plan, int64_t start, SymRef count);

  // False with `why`, or with the executor failed.
  bool run();
  // x[key] of a tensor in the body, where the key has the number of the turn. The executor fails
  // where that is no row.
  bool row(const SymRef& tensor, const SymRef& key, SymRef* out);
  bool owns(const SymRef& turn) const { return turn == turn_; }

 private:
  // Rows of a tensor along an axis.
  struct Sequence {
    SymRef tensor;
    int axis;
    Val whole, row;  // with the rows first; the placeholder for one
  };
  bool behind_own(const SymRef& value, SymRef* out) override;
  bool is_borrowed(const SymRef& value) const override;
  bool run_body();
  bool check_lists();
  bool place_sequence(Sequence* sequence);
  void place_row(Sequence* sequence);
  Sequence* sequence(const SymRef& tensor, int axis);
  SymRef last_turn();
  bool build();

  ScanPlan& plan_;
  const int64_t first_turn_;
  const SymRef count_;
  const SymRef turn_;  // kTurn; null: the items are rows
  bool prepared_ = false;
  int32_t first_node_ = 0, first_step_ = 0;
  std::deque<Sequence> sequences_;
  std::vector<SymRef> lists_;
  Vals stacked_;  // what is appended to them, in the body
};

// `stack` or `concat` of a list that a loop has appended to, as one tensor. False: the executor
// failed, where it is another op.
bool join_rows(Executor& x, const OpDef& op, const SymRef& rows, const Attrs& attrs, SymRef* out);
// list.append in the body of such a loop: its one method, null for other names.
bool append_row(Executor& x, const SymRef& rows, const SymRef& item);
BuiltinModel rows_method(const char* name);
// Whether a key has the number of a turn in it.
bool has_turn(const SymRef& key);

}  // namespace msjit
