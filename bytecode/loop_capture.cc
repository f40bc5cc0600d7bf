// Loops that a test on a tensor leaves. All ways back to the header and out of the loop are joined,
// with a flag that tells them apart, and become the body of a While. The body may only assign
// tensors, which must keep dtype and shape. If the first turns differ (a number becomes a tensor),
// they are unrolled, and the loop is entered after them.
#include "bytecode/loop_body.h"
#include "graph/control.h"

namespace msjit {
namespace {

constexpr int kMaxPeel = 3;

class WhileCapture final : public LoopBody {
 public:
  WhileCapture(Executor& x, SymFrame& frame, LoopFacts& facts, int fork_depth)
      : LoopBody(x, frame, frame.pc, facts, fork_depth) {
    body_ = fork_frame(frame);
    body_.stops.push_back(header_);
    body_.stops.push_back(exit_);
    body_.loop_header = header_;
    body_.loop_exit = exit_;
  }

  // False with `why`, or with the executor failed.
  bool run() {
    HeapMark heap(x_.heap(), frame_);
    const ChangeMark before(x_.heap(), SymValue::next_serial());
    if (!prepare_numbers() || !place_carried() || !place_written()) return false;
    const uint64_t mark = SymValue::next_serial();
    const int32_t first_node = static_cast<int32_t>(x_.sink().graph()->nodes.size());
    const int32_t first_step = x_.sizes().mark();
    joiner_ = std::make_unique<Joiner>(x_, mark, first_node, first_step);
    const size_t checks = x_.checking().mark();
    x_.met_unbound();
    if (!x_.run(body_)) {
      may_peel = x_.met_unbound();  // the first turns may assign it
      why = x_.reason() == BreakReason::kTensorBranch ? x_.detail()
                                                      : break_text(x_.reason(), x_.detail());
      return false;
    }
    if (!take_changed(before)) return false;
    HeapMark::Allowed allowed;
    if (!check_heap(heap, &allowed)) return false;
    if (!allowed.grown.empty()) return refuse("the loop changes a list");
    if (!body_.again) return refuse("the loop has no way out that depends on a tensor");
    return check_back() && leave() && carry_checks(checks, first_node, {body_.again.id()}) &&
           build(first_node, first_step);
  }

 private:
  bool build(int32_t first_node, int32_t first_step) {
    Vals initial, inside, next;
    if (!collect(&initial, &inside, &next)) return false;
    if (initial.empty()) return refuse("the loop changes no tensor");
    auto results = build_while(x_.sink(), first_node, initial, inside, body_.again, next);
    if (!results.ok()) return refuse(results.error().message);
    Vals given = initial, outcome = results.take();
    x_.note_control(outcome);
    given.insert(given.end(), inside.begin(), inside.end());
    given.push_back(body_.again);
    given.insert(given.end(), next.begin(), next.end());
    x_.sizes().built(TraceStep::Kind::kWhile, first_step, given, outcome);
    bind(outcome);
    if (exit_ >= 0) frame_.pc = exit_;
    return true;
  }
};

}  // namespace

// Called at the header of each loop. True with `captured`: the loop is a While now, and the frame
// is behind it. True without: the loop is to be unrolled, or is none of those that tests on tensors
// leave.
bool Executor::capture_loop(SymFrame& frame, bool* captured) {
  const auto found = control_->loops.find({frame.code, frame.pc});
  if (found == control_->loops.end() || frame.loop_header == frame.pc) return true;
  ControlPlan::Loop& loop = found->second;
  if (loop.refused || frame.peeled[frame.pc]++ < loop.peel) return true;
  if (!handled_.empty()) return true;
  if (fork_depth_ > 16) return fail(BreakReason::kTensorBranch, "loops nested too deeply");
  forked_ = true;
  SymFrame* const self = current_;
  WhileCapture capture(*this, frame, loop.facts, ++fork_depth_);
  loops_.push_back(&capture);
  const bool done = capture.run();
  loops_.pop_back();
  if (!done) {
    current_ = self;
    if (control_->restart) return false;
    if (loop.why.empty()) loop.why = capture.why;
    if (!capture.may_peel || ++loop.peel > kMaxPeel) loop.refused = true;
    control_->restart = true;
    return fail(BreakReason::kTensorBranch, loop.why);
  }
  --fork_depth_;
  current_ = self;
  *captured = true;
  return capture.write_behind();
}

bool Executor::may_write_in_loops(const SymRef& tensor) {
  for (LoopBody* loop : loops_) {
    if (!loop->learns_write(tensor)) continue;
    control_->restart = true;
    return fail(BreakReason::kTensorBranch, "a tensor that the loop writes to");
  }
  return true;
}

bool Executor::tracks_writes() const {
  return !loops_.empty() && loops_.back()->fork_depth() == fork_depth_;
}

}  // namespace msjit
