#include "bytecode/control.h"

#include <fmt/core.h>

#include <cstring>

#include "bytecode/arm_changes.h"
#include "bytecode/tensor_write.h"
#include "guards/py/text.h"

namespace msjit {
namespace {

// Limit of nested branches, which unrolled loops with a break produce. It is larger than the limit
// of nested calls (CaptureLimits), so that for a recursion that a tensor ends, the depth of calls
// is the reported reason.
constexpr int kMaxForks = 56;

bool asks_for_locals(const DecodedCode& code) {
  static const char* const kNames[] = {"locals", "vars", "eval", "exec", "dir", "_getframe"};
  for (int i = 0; i < code.name_count(); ++i) {
    const char* name = utf8_text(code.name(i).get());
    for (const char* wanted : kNames)
      if (name && std::strcmp(name, wanted) == 0) return true;
  }
  return false;
}

// Copies an iterator that only this frame knows, because each arm advances it separately.
SymRef copy_iterator(const SymRef& value) {
  if (value->kind != SymKind::kIterator || value.use_count() > 1) return value;
  if (value->iterator->generator) return value;  // a generator's frame cannot be copied
  const SymIterator& from = *value->iterator;
  SymRef copy = make_sym(SymKind::kIterator);
  copy->born = value->born;
  copy->iterator = std::make_unique<SymIterator>(SymIterator{from.kind, {}, from.object});
  SymIterator& to = *copy->iterator;
  to.position = from.position;
  to.count = from.count;
  to.removals = from.removals;
  to.exhausted = from.exhausted;
  to.of_tensor = from.of_tensor;
  to.upcoming = from.upcoming;
  to.step = from.step;
  to.reversed = from.reversed;
  to.taken = from.taken;
  for (const SymRef& child : from.children) to.children.push_back(copy_iterator(child));
  return copy;
}

}  // namespace

SymFrame fork_frame(SymFrame& frame) {
  std::vector<SymRef> copies;
  for (const SymRef& value : frame.stack) copies.push_back(copy_iterator(value));
  SymFrame arm = frame;
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i]->kind == SymKind::kIterator) arm.stack[i] = copies[i];
  return arm;
}

const Cfg& ControlPlan::cfg(const DecodedCode& code) {
  Facts& facts = facts_[&code];
  if (!facts.cfg) facts.cfg = std::make_unique<Cfg>(code);
  return *facts.cfg;
}

bool ControlPlan::live(const DecodedCode& code, int instr, int slot) {
  Facts& facts = facts_[&code];
  if (!facts.liveness) {
    facts.liveness = std::make_unique<Liveness>(code);
    facts.reads_locals = asks_for_locals(code);
  }
  return facts.reads_locals || facts.liveness->live_before(instr, slot);
}

bool Executor::claim(ValueId id, const SymRef& value) {
  return owners_.emplace(id, value).first->second == value;
}

const SymValue* Executor::owner(ValueId id) const {
  auto it = owners_.find(id);
  return it == owners_.end() ? nullptr : it->second.get();
}

// Runs an arm to one of its stops, its return, or the end of the loop body it is part of.
bool Executor::run_arm(SymFrame* arm) {
  SymFrame* const caller = current_;
  if (!arm->at_stop() && !run(*arm)) return false;
  current_ = caller;
  return true;
}

void Executor::note_control(std::span<const Val> results) {
  if (!results.empty()) checking_.note(*graph_, graph_->values[results[0].id()].node);
}

void Executor::renew(const SymRef& tensor, Val value) {
  if (fork_depth_ > 0)
    heap_.renewed().push_back({tensor, tensor->tensor, tensor->changed});
  else
    heap_.note_effect();
  tensor->tensor = std::move(value);
}

namespace {

// For `a and b or c`, compilers from 3.12 on test a value again, on a copy of it, where earlier
// ones jump directly. In an arm the truth of that value is known, so `path` follows the second
// test's jump. `join` becomes the place where the ways of the second test meet.
void jump_on(const Cfg& cfg, const DecodedCode& code, const SymFrame& frame, const SymRef& tested,
             bool truth, BranchPath* path, int* join) {
  const size_t hidden = path->pops ? 1 : 0;
  if (frame.stack.size() <= hidden || frame.stack[frame.stack.size() - 1 - hidden] != tested)
    return;
  while (code[path->pc].op == Op::kCopy && code[path->pc].arg == 1) {
    int test = path->pc + 1;
    while (code[test].op == Op::kToBool || code[test].op == Op::kNop) ++test;
    const Op op = code[test].op;
    if (op != Op::kPopJumpIfTrue && op != Op::kPopJumpIfFalse) return;
    path->pc = (op == Op::kPopJumpIfTrue) == truth ? code[test].target : test + 1;
    *join = cfg.join_of(test);
  }
}

// The two ways of a branch, and the instruction at which both end.
struct Ways {
  BranchPath paths[2];
  int join;
};

Ways ways_of(const Cfg& cfg, const SymFrame& frame, const SymRef& tested,
             const BranchPath& when_true, const BranchPath& when_false) {
  const int near = cfg.join_of(frame.pc);
  Ways ways = {{when_true, when_false}, near};
  int joins[2] = {near, near};
  for (int side : {0, 1})
    jump_on(cfg, *frame.code, frame, tested, side == 0, &ways.paths[side], &joins[side]);
  if (joins[0] != near && joins[1] != near && joins[0] != joins[1])  // neither joins both arms
    return {{when_true, when_false}, near};
  ways.join = joins[0] != near ? joins[0] : joins[1];
  return ways;
}

// Puts a forked frame at the start of its arm, which ends at the join.
void enter_arm(const Ways& ways, int side, SymFrame* arm) {
  const BranchPath& path = ways.paths[side];
  arm->stops.push_back(ways.join);
  if (path.pops) arm->stack.pop_back();
  arm->pc = path.pc;
}

bool is_pure(const Node& node) {
  for (const auto& sub : node.subgraphs)
    if (!std::all_of(sub->nodes.begin(), sub->nodes.end(), is_pure)) return false;
  if (node.kind != NodeKind::kOp || node.is_control()) return true;
  return node.op->has(kPure) && !node.op->has(kRandom);
}

// Whether the instructions from `pc` on reach a `raise` without a jump.
bool leads_to_raise(const DecodedCode& code, int pc) {
  for (; pc < code.size(); ++pc) {
    if (code[pc].op == Op::kRaise) return true;
    if (op_flags(code[pc].op) & (kOpJump | kOpEnds)) return false;
  }
  return false;
}

}  // namespace

// Whether the work of an arm that raises can be forgotten: the arm is in no other arm or loop, has
// changed nothing and drawn no random numbers.
bool Executor::can_assume(const HeapMark& heap, int32_t first_node) const {
  if (reason_ != BreakReason::kRaises && reason_ != BreakReason::kOpError) return false;
  if (fork_depth_ > 1 || !handled_.empty() || !heap.change(heap_).empty()) return false;
  return std::all_of(graph_->nodes.begin() + first_node, graph_->nodes.end(), is_pure);
}

// Goes on with one way of a branch alone, under an assumption.
bool Executor::assume(SymFrame& frame, const SymRef& tested, bool truth, const BranchPath& path) {
  --fork_depth_;
  const std::string otherwise = fmt::format("{}, line {}", detail_, (*frame.code)[frame.pc].line);
  assumed_.push_back({tested->tensor, truth, otherwise});
  place_.clear();
  callee_ = nullptr;
  if (path.pops) frame.stack.pop_back();
  frame.next = path.pc;
  return true;
}

// False, and failed: the test cannot become a branch of the graph.
bool Executor::may_fork(const SymFrame& frame, const SymRef& tested) {
  const SymRef elements = sizes_.numel(tested->tensor);
  if (elements->kind == SymKind::kSize && !look(elements)) return false;
  if (const int64_t n = tested->tensor.shape().numel(); n != 1)
    return fail(BreakReason::kRaises, fmt::format("the truth of a tensor of {} elements", n));
  const DecodedCode& code = *frame.code;
  const int header = control_->cfg(code).loop_left_at(frame.pc);
  if (header >= 0 && header != frame.loop_header &&
      control_->loops.emplace(ControlPlan::Key{&code, header}, ControlPlan::Loop()).second) {
    control_->restart = true;
    return fail(BreakReason::kInternal, "a loop to be captured");
  }
  if (fork_depth_ >= kMaxForks) {
    std::string why = "too many branches inside each other";
    for (const auto& [key, loop] : control_->loops)
      if (loop.refused) why = loop.why;
    return fail(BreakReason::kTensorBranch, why);
  }
  if (!handled_.empty())
    return fail(BreakReason::kTensorBranch, "it stands in an exception handler");
  return true;
}

// What ends the capture when an arm could not be run to its end; always false.
bool Executor::arm_failed(const SymFrame& arm) {
  if (raised_) return fail(BreakReason::kTensorBranch, "an arm raises " + raised_text_);
  if (control_->restart || reason_ == BreakReason::kTensorBranch) return false;
  return fail(BreakReason::kTensorBranch,
              fmt::format("{}, line {}", break_text(reason_, detail_), (*arm.code)[arm.pc].line));
}

// Takes back what an arm that has run did besides its slots and stack. False, and failed: it did
// something that the joined arms cannot repeat.
bool Executor::take_arm(const SymFrame& arm, const HeapMark& heap, const ChangeMark& before,
                        ArmChanges* changes) {
  if (arm.yielded || !handled_.empty())
    return fail(BreakReason::kTensorBranch, "an arm yields or handles an exception");
  *changes = take_changes(heap_, before);
  if (const std::string what = heap.change(heap_); !what.empty())
    return fail(BreakReason::kTensorBranch, "an arm changes a " + what);
  if (seen_after_write(heap_.overwritten(), before.overwritten, *graph_, gradient_scopes_) >= 0)
    return fail(BreakReason::kTensorBranch, "an arm writes to a tensor that a view holds");
  heap_.overwritten().resize(before.overwritten);
  return true;
}

bool Executor::branch(SymFrame& frame, const SymRef& tested, const BranchPath& when_true,
                      const BranchPath& when_false) {
  if (!may_fork(frame, tested)) return false;
  forked_ = true;
  const SourceLocation here = sink_.location();
  const uint64_t mark = SymValue::next_serial();
  const int32_t first_node = static_cast<int32_t>(graph_->nodes.size());
  const int32_t first_step = sizes_.mark();
  SymFrame arms[2] = {fork_frame(frame), fork_frame(frame)};
  HeapMark heap(heap_, frame);
  ++fork_depth_;
  const ChangeMark before(heap_, mark);
  ArmChanges changes[2];
  const size_t checks = checking_.mark();
  std::vector<int32_t> checking[2];
  const Ways ways = ways_of(control_->cfg(*frame.code), frame, tested, when_true, when_false);
  // An arm that raises is run first, because the other one may be the rest of the function.
  const int first = leads_to_raise(*frame.code, ways.paths[1].pc) ? 1 : 0;
  for (int side : {first, 1 - first}) {
    SymFrame& arm = arms[side];
    enter_arm(ways, side, &arm);
    const bool ran = run_arm(&arm);
    checking[side] = checking_.take(checks);
    if (!ran) {
      current_ = &frame;  // the arm's frame is about to be destroyed
      if (!can_assume(heap, first_node)) return arm_failed(arm);
      sink_.set_location(here);
      return assume(frame, tested, side == 1, side == 0 ? when_false : when_true);
    }
    if (!take_arm(arm, heap, before, &changes[side])) return false;
  }
  --fork_depth_;
  sink_.set_location(here);
  Joiner joiner(*this, mark, first_node, first_step);
  for (int side : {0, 1}) joiner.note_checking(side, std::move(checking[side]));
  for (const ArmChanges& of_arm : changes)
    for (const auto& [tensor, value] : of_arm.tensors) joiner.note_written(tensor);
  return join_arms(*this, frame, arms, tested, changes, joiner);
}

}  // namespace msjit
