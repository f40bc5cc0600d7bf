// Which for loops are captured as one node, and the iterators of those that may be.
#include <algorithm>
#include <utility>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"

namespace msjit {
namespace {

constexpr int64_t kMinTurns = 4;  // of gradients, the last ones stand by themselves
constexpr int kMaxPeel = 3;

}  // namespace

// At a for loop: true with `captured` when it is a Scan now and the frame stands behind it; true
// without when its next turn is to be run.
bool Executor::capture_scan(SymFrame& frame, bool* captured) {
  const SymRef iterator = frame.peek(1);
  SymIterator& it = *iterator->iterator;
  const bool open = it.kind == IterKind::kTurns || it.kind == IterKind::kTensorRows;
  const auto key = ControlPlan::Key{frame.code, frame.pc};
  if (!open && is_large(frame, it) && !control_->scans[key].wanted) {
    control_->scans[key].wanted = control_->restart = true;
    return fail(BreakReason::kUnrollLimit);
  }
  if (!open && !control_->scans.count(key)) return true;
  ScanPlan& plan = control_->scans[key];
  SymRef count;
  int64_t start = 0;
  const bool able = !plan.refused && (open || plan.wanted) && handled_.empty() &&
                    fork_depth_ <= 16 && turns_left(it, &start, &count);
  if (able && frame.peeled[frame.pc]++ < plan.peel) return true;
  if (!able) return !open || fix_turns(iterator);
  forked_ = true;
  SymFrame* const self = current_;
  ScanCapture capture(*this, frame, plan, start, count);
  ++fork_depth_;
  scans_.push_back(&capture);
  const bool done = capture.run();
  scans_.pop_back();
  --fork_depth_;
  current_ = self;
  if (done) return *captured = true;
  if (control_->restart) return false;
  if (!capture.may_peel || ++plan.peel > kMaxPeel) plan.refused = true;
  control_->restart = true;
  return fail(BreakReason::kUnrollLimit, capture.why);
}

// Whether a loop that is unrolled would better be one node: by what its turns have made so far.
bool Executor::is_large(SymFrame& frame, const SymIterator& it) {
  constexpr int kManyOps = 2000;
  const bool able = it.kind == IterKind::kConstant ? PyRange_Check(it.object.get()) : it.of_tensor;
  if (!able) return false;
  int& begun = frame.begun[frame.pc];
  if (it.position == 0) begun = num_ops_;
  return num_ops_ - begun > kManyOps;
}

// How many turns a loop over this iterator still has, from which number on.
bool Executor::turns_left(const SymIterator& it, int64_t* start, SymRef* count) {
  SymRef end;
  if (it.kind == IterKind::kConstant) {
    if (!PyRange_Check(it.object.get())) return false;
    const Py_ssize_t size = PyObject_Size(it.object.get());
    const Ref at = Ref::steal(PySequence_GetItem(it.object.get(), it.position));
    const Ref next = Ref::steal(PySequence_GetItem(it.object.get(), it.position + 1));
    if (!at || !next) return PyErr_Clear(), false;
    *start = PyLong_AsLongLong(at.get());
    if (*start < 0 || PyLong_AsLongLong(next.get()) != *start + 1) return PyErr_Clear(), false;
    *count = sym_int(size - it.position);
    return size - it.position >= kMinTurns;
  }
  if (it.kind != IterKind::kTurns && it.kind != IterKind::kTensorRows) return false;
  *start = it.position;
  end = it.kind == IterKind::kTurns ? it.children[0] : sizes_.dims(it.children[0]->tensor)[0];
  if (!Sizes::expr(end) ||
      !sizes_.decide(SizeCompare::kGreaterEqual, Sizes::expr(end), size_const(*start + kMinTurns)))
    return false;
  *count = *start == 0 ? end : sizes_.binary(SizeOp::kSub, end, sym_int(*start));
  return *count != nullptr;
}

// The next turn of such an iterator by itself.
bool Executor::take_turn(SymIterator& it, SymRef* out, bool* done) {
  const SymRef of = it.children[0];
  const SizeExpr end = Sizes::expr(it.kind == IterKind::kTurns ? of : sizes_.dims(of->tensor)[0]);
  if (!end) return fail(BreakReason::kIterate, describe(*of));
  *done = !sizes_.decide(SizeCompare::kLess, size_const(it.position), end);
  if (*done) return true;
  *out = sym_int(it.position++);
  return it.kind == IterKind::kTurns || subscript(of, SymRef(*out), out);
}

// Turns an iterator whose end is open into one that can be unrolled.
bool Executor::fix_turns(const SymRef& iterator) {
  SymIterator& it = *iterator->iterator;
  const SymRef of = it.children[0];
  if (it.kind == IterKind::kTurns) {
    if (!look(of)) return false;
    it.kind = IterKind::kConstant;
    const Ref start = Ref::steal(PyLong_FromLongLong(std::exchange(it.position, 0)));
    it.object = Ref::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyRange_Type),
                                                        start.get(), of->object.get(), nullptr));
    it.children.clear();
    return it.object ? true : raise_python("range()");
  }
  SymRef rows;
  if (!iterate(of, &rows)) return false;
  it.kind = IterKind::kSequence;
  it.children = rows->iterator->children;
  return true;
}

namespace {

bool is_loop_next(const SymFrame& frame, int behind) {
  const int at = frame.pc + behind;
  return at < frame.code->size() && (*frame.code)[at].op == Op::kForIter;
}

}  // namespace

bool Executor::open_range(const SymFrame& frame, const std::vector<SymRef>& args, SymRef* out) {
  if (args.empty() || args.size() > 2 || !is_loop_next(frame, 2) ||
      (*frame.code)[frame.pc + 1].op != Op::kGetIter)
    return true;
  int64_t start = 0;
  if (args.size() == 2) {
    if (args[0]->kind != SymKind::kConst || !PyLong_CheckExact(args[0]->object.get())) return true;
    start = PyLong_AsLongLong(args[0]->object.get());
    if (start < 0) return PyErr_Clear(), true;
  }
  if (!look_open(args.back())) return false;
  if (args.back()->kind == SymKind::kSize)
    *out = new_iterator(IterKind::kTurns, {args.back()}, start);
  return true;
}

bool Executor::open_rows(const SymFrame& frame, const SymRef& tensor, SymRef* out) {
  if (tensor->kind == SymKind::kIterator && tensor->iterator->kind == IterKind::kTurns)
    return *out = tensor, true;
  if (!look(tensor)) return false;
  if (!tensor->is_tensor() || tensor->tensor.rank() == 0 || !is_loop_next(frame, 1)) return true;
  const auto plan = control_->scans.find({frame.code, frame.pc + 1});
  const bool wanted = plan != control_->scans.end() && plan->second.wanted;
  if (wanted || sizes_.dims(tensor->tensor)[0]->kind == SymKind::kSize)
    *out = new_iterator(IterKind::kTensorRows, {tensor});
  return true;
}

bool Executor::scan_row(const SymRef& tensor, const SymRef& key, SymRef* out) {
  if (!look(tensor)) return false;
  if (tensor->is_tensor()) {
    const auto is_turn = [](const SymRef& item) { return item->kind == SymKind::kTurn; };
    const SymRef turn = is_turn(key) ? key : *std::ranges::find_if(key->items, is_turn);
    for (ScanCapture* scan : scans_)
      if (scan->owns(turn)) return scan->row(tensor, key, out);
  }
  return fail(BreakReason::kUnsupported, "a number of a turn as an index of " + describe(*tensor));
}

// The region has become too large: the innermost for loop under way that may be one node is asked
// to be it, and the capture starts again.
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
