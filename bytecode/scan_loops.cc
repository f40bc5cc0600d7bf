// Decides which for loops are captured as one node.
#include <algorithm>
#include <utility>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"
#include "bytecode/values/iterators.h"
#include "bytecode/values/sequence.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

// In the gradient of a Scan the last turns are separate nodes (graph/scan_grad.cc).
constexpr int64_t kMinTurns = 4;
constexpr int kMaxPeel = 3;
constexpr int kManyOps = 2000;  // of one loop that is unrolled

bool is_regular(const SymIterator& leaf) {
  return is_open_leaf(leaf) || leaf.of_tensor ||
         (leaf.kind == &iter_constant && PyRange_Check(leaf.object.get())) || walks_numbers(leaf);
}
bool is_irregular(const SymIterator& leaf) { return !is_regular(leaf); }
bool is_begun(const SymIterator& leaf) { return leaf.position > 0; }

// Whether the program can still take items of an iterator behind the loop, or in it.
bool is_held(const SymRef& iterator, long holders) {
  if (iterator->kind != SymKind::kIterator) return false;
  return iterator.use_count() > holders ||
         std::ranges::any_of(iterator->iterator->children,
                             [](const SymRef& child) { return is_held(child, 1); });
}

}  // namespace

// Called at a for loop. True with `captured`: the loop is a Scan now, and the frame is behind it.
// True without: its next turn is to be run.
bool Executor::capture_scan(SymFrame& frame, bool* captured) {
  const SymRef& iterator = frame.peek(1);
  SymIterator& it = *iterator->iterator;
  const bool open = any_leaf(it, is_open_leaf);
  constexpr long kHolders = 2;  // the stack, and the handler of the instruction
  const auto key = ControlPlan::Key{frame.code, frame.pc};
  if (!open && is_large(frame, it) && !control_->scans[key].wanted) {
    control_->scans[key].wanted = control_->restart = true;
    return fail(BreakReason::kUnrollLimit);
  }
  if (!open && !control_->scans.count(key)) return true;
  ScanPlan& plan = control_->scans[key];
  SymRef count;
  const bool able = !plan.refused && (open || plan.wanted) && handled_.empty() &&
                    fork_depth_ <= 16 && !is_held(iterator, kHolders) && turns_left(it, &count) &&
                    has_many_turns(count);
  if (able && frame.peeled[frame.pc]++ < plan.peel) return true;
  return able ? run_scan(frame, plan, count, captured) : !open || fix_turns(iterator);
}

// Captures the turns of the loop at whose header, or test, the frame is.
bool Executor::run_scan(SymFrame& frame, ScanPlan& plan, const SymRef& count, bool* captured) {
  forked_ = true;
  SymFrame* const self = current_;
  ScanCapture capture(*this, frame, plan, count, ++fork_depth_);
  scans_.push_back(&capture);
  loops_.push_back(&capture);
  const bool done = capture.run();
  scans_.pop_back();
  loops_.pop_back();
  --fork_depth_;
  current_ = self;
  if (done) return *captured = capture.write_behind();
  if (control_->restart) return false;
  if (!capture.may_peel || ++plan.peel > kMaxPeel) plan.refused = true;
  if (plan.refused)
    MSJIT_LOGF(LogTopic::kBreaks, "loop at line {} is unrolled: {}", (*frame.code)[frame.pc].line,
               capture.why);
  control_->restart = true;
  return fail(BreakReason::kUnrollLimit, capture.why);
}

// Whether a loop that is being unrolled should be one node instead: by the operators that its turns
// have made so far, or will make if they are all like the first ones.
bool Executor::is_large(SymFrame& frame, const SymIterator& it) {
  if (!any_leaf(it, is_regular) || any_leaf(it, is_irregular)) return false;
  Arrivals& seen = frame.arrivals[frame.pc];
  if (!any_leaf(it, is_begun)) seen.ops.clear();
  if (seen.ops.size() == Arrivals::kMost) return num_ops_ - seen.ops[0] > kManyOps;
  SymRef count;
  if (seen.note(num_ops_) < Arrivals::kMost) return seen.will_be_many(0);
  const bool known = turns_left(it, &count) && count->kind == SymKind::kConst;
  return seen.will_be_many(known ? PyLong_AsLongLong(count->object.get()) : 0);
}

size_t Arrivals::note(int num_ops) {
  if (ops.size() < kMost) ops.push_back(num_ops);
  return ops.size();
}

bool Arrivals::will_be_many(int64_t left) const {
  const int so_far = ops.back() - ops[0];
  if (so_far > kManyOps || ops.size() < kMost) return so_far > kManyOps;
  const int turn = ops[2] - ops[1];
  const bool alike = ops[3] - ops[2] == turn && ops[4] - ops[3] == turn;
  return alike && left > (kManyOps - so_far) / std::max(turn, 1) && turn > 0;
}

bool Executor::has_many_turns(const SymRef& count) {
  return Sizes::expr(count) &&
         sizes_.decide(SizeCompare::kGreaterEqual, Sizes::expr(count), size_const(kMinTurns));
}

ScanCapture* Executor::scan_of(const SymRef& turn) {
  for (ScanCapture* scan : scans_)
    if (scan->owns(turn)) return scan;
  return nullptr;
}

bool Executor::scan_row(const SymRef& tensor, const SymRef& key, SymRef* out) {
  bool known = false;
  if (!look(tensor) || !item_of_turn(*this, tensor, key, out, &known)) return false;
  if (known) return true;
  if (tensor->is_tensor()) {
    const auto is_turn = [](const SymRef& item) { return item->kind == SymKind::kTurn; };
    const SymRef turn = is_turn(key) ? key : *std::ranges::find_if(key->items, is_turn);
    if (ScanCapture* scan = scan_of(turn)) return scan->row(tensor, key, out);
  }
  return fail(BreakReason::kUnsupported,
              "the number of a loop turn as an index of " + describe(*tensor));
}

bool Executor::turns_as_tensors(const SymRef& key, SymRef* out) {
  if (key->kind != SymKind::kTurn) {
    std::vector<SymRef> parts = key->items;
    for (SymRef& part : parts)
      if (part->kind == SymKind::kTurn && !turns_as_tensors(SymRef(part), &part)) return false;
    return *out = make_items(SymKind::kTuple, std::move(parts)), true;
  }
  if (ScanCapture* scan = scan_of(key)) return scan->position(key, out);
  return fail(BreakReason::kUnsupported, "the number of a loop turn");
}

// The region has become too large. The innermost running for loop that may be one node is marked to
// become it, and the capture starts again.
bool Executor::ask_for_scan() {
  for (const SymFrame* frame = current_; frame; frame = frame->parent) {
    const Cfg& cfg = control_->cfg(*frame->code);
    for (size_t b = cfg.blocks().size(); b-- > 0;) {  // inner headers come later
      const int header = cfg.blocks()[b].begin;
      if (!cfg.blocks()[b].is_loop_header || (*frame->code)[header].op != Op::kForIter ||
          cfg.block_of(frame->pc) < 0 || !cfg.in_loop(header, frame->pc))
        continue;
      ScanPlan& plan = control_->scans[{frame->code, header}];
      if (plan.wanted || plan.refused) continue;
      plan.wanted = true;
      return control_->restart = true;
    }
  }
  return false;
}

}  // namespace msjit
