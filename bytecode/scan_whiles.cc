// While loops over a counter as one Scan node: `while i < n: ...; i += 1`. A turn begins where the
// test begins. CPython 3.10 and later test at the end of the body, earlier versions at its top; the
// turns are the same. Only their number is told by the test. Each turn takes the test itself too,
// and the frame goes on at the test, so that a wrong number could do no harm.
#include <algorithm>

#include "bytecode/builtins/models.h"
#include "bytecode/scan_capture.h"

namespace msjit {
namespace {

// The test of a loop: from the load of the counter to the jump that may leave the loop.
struct CounterTest {
  int start = -1, compare = -1, jump = -1;
};

bool is_call_of_len(const DecodedCode& code, int call) {
  if (code[call].op != Op::kCall || code[call].arg != 1 || code[call].aux >= 0) return false;
  for (int i = call; i-- > 0 && i > call - 8;)
    if (code[i].op == Op::kLoadGlobal)
      return PyUnicode_CompareWithASCIIString(code.name(code[i].arg).get(), "len") == 0;
  return false;
}

// Whether an instruction of a test reads only its operands and makes a number or an object.
bool may_be_in_test(const DecodedCode& code, int at) {
  switch (code[at].op) {
    case Op::kCall: return is_call_of_len(code, at);
    case Op::kNop:
    case Op::kPushNull:
    case Op::kLoadConst:
    case Op::kLoadInt:
    case Op::kLoadFast:
    case Op::kLoadGlobal:
    case Op::kLoadDeref:
    case Op::kLoadAttr:
    case Op::kSubscr:
    case Op::kBinary: return true;
    default: return false;
  }
}

bool leaves_loop(const Cfg& cfg, int loop, int jump) {
  const Instr& instr = cfg.code()[jump];
  if (instr.op != Op::kPopJumpIfFalse && instr.op != Op::kPopJumpIfTrue) return false;
  return cfg.in_loop(loop, instr.target) != cfg.in_loop(loop, jump + 1);
}

// The test that ends at `jump` with a comparison whose first operand is a local.
CounterTest test_before(const Cfg& cfg, int jump) {
  const DecodedCode& code = cfg.code();
  int compare = jump - 1;
  if (compare > 0 && code[compare].op == Op::kToBool) --compare;
  if (compare < 2 || code[compare].op != Op::kCompare) return {};
  int needed = 2, start = compare;
  while (needed > 0 && --start >= 0 && may_be_in_test(code, start) &&
         cfg.block_of(start) == cfg.block_of(jump))
    needed += pops(code[start]) - pushes(code[start]);
  if (needed != 0 || code[start].op != Op::kLoadFast) return {};
  return {start, compare, jump};
}

// The test of the loop whose header the instruction at `back` jumps to.
CounterTest find_test(const Cfg& cfg, int loop, int back) {
  for (const int jump : {back, back - 1})
    if (jump > loop && leaves_loop(cfg, loop, jump)) return test_before(cfg, jump);
  int jump = loop;
  const int end = cfg.blocks()[size_t(cfg.block_of(loop))].end - 1;
  if (!leaves_loop(cfg, loop, jump = end)) return {};
  const CounterTest test = test_before(cfg, jump);
  return test.start == loop ? test : CounterTest{};
}

}  // namespace

bool ScanCapture::decides(const SymRef& turn, int op, const SymRef& bound, bool* out) const {
  constexpr SizeCompare kCompare[] = {SizeCompare::kLess,    SizeCompare::kLessEqual,
                                      SizeCompare::kEqual,   SizeCompare::kNotEqual,
                                      SizeCompare::kGreater, SizeCompare::kGreaterEqual};
  const SymRef last_turn = x_.sizes().binary(SizeOp::kSub, count_, sym_int(1));
  const SymRef last =
      last_turn ? x_.number_of_turn(turn->items[0], PyLong_AsLongLong(turn->items[1]->object.get()),
                                    last_turn)
                : nullptr;
  if (op == Py_EQ || (is_for_loop() && count_->kind != SymKind::kConst) || !last ||
      !Sizes::expr(last) || !Sizes::expr(bound))
    return false;
  const auto holds = [&](int compare, const SymRef& number) {
    return x_.sizes().decide(kCompare[compare], Sizes::expr(number), Sizes::expr(bound));
  };
  const auto all_hold = [&](int compare) {
    return holds(compare, turn->items[0]) && holds(compare, last);
  };
  if (op == Py_NE) return *out = all_hold(Py_LT) || all_hold(Py_GT);
  *out = holds(op, turn->items[0]);
  return holds(op, last) == *out;
}

// The number of turns that the test allows if its first operand grows by `step`. Null: not known.
bool Executor::count_turns(SymFrame& frame, int start, int compare, int64_t step, SymRef* count) {
  SymFrame ahead = fork_frame(frame);
  ahead.stops = {compare};
  ahead.pc = ahead.counted = start;
  SymFrame* const self = current_;
  const HeapMark before(heap_, frame);
  if (!run(ahead)) return false;
  current_ = self;
  HeapMark::Allowed allowed;
  if (!before.change(heap_, &allowed).empty()) return fail(BreakReason::kUnrollLimit);
  const SymRef first = ahead.peek(2), bound = ahead.peek(1);
  if (is_unknown(*first) || is_unknown(*bound)) return true;
  if (!look_open(first) || !look_open(bound)) return false;
  if (!Sizes::expr(first) || !Sizes::expr(bound) || step == 0) return true;
  const int op = (*frame.code)[compare].arg;
  const bool up = step > 0, strict = op != Py_LE && op != Py_GE;
  const bool meets = op == Py_NE && std::abs(step) == 1;
  if (!meets && (up ? op != Py_LT && op != Py_LE : op != Py_GT && op != Py_GE)) return true;
  SymRef turns =
      up ? sizes_.binary(SizeOp::kSub, bound, first) : sizes_.binary(SizeOp::kSub, first, bound);
  const int64_t stride = std::abs(step), more = stride - (strict ? 1 : 0);
  if (turns && more > 0) turns = sizes_.binary(SizeOp::kAdd, turns, sym_int(more));
  if (turns && stride > 1) turns = sizes_.binary(SizeOp::kFloorDiv, turns, sym_int(stride));
  if (turns && Sizes::expr(turns)) *count = std::move(turns);
  return true;
}

// Called when a frame jumps back to the header of a loop that is no for loop. Marks a loop over a
// counter to become one node if its turns make too much, or if their number is open.
bool Executor::note_turn(SymFrame& frame) {
  const DecodedCode& code = *frame.code;
  const Cfg& cfg = control_->cfg(code);
  const int loop = frame.next;
  if (!cfg.is_loop_header(loop) || control_->loops.count({frame.code, loop})) return true;
  const CounterTest test = find_test(cfg, loop, frame.pc);
  if (test.start < 0 || code.handler(test.start)) return true;
  ScanPlan& plan = control_->scans[{frame.code, test.start}];
  const int slot = code[test.start].arg;
  const SymRef& value = frame.slots[size_t(slot)];
  if (plan.wanted || plan.refused || !value || !Sizes::expr(value)) return true;
  const int64_t counter = PyLong_AsLongLong(value->object.get());
  Arrivals& seen = frame.arrivals[loop];
  const int64_t step = counter - std::exchange(seen.counter, counter);
  if (seen.ops.size() > 1 && step != seen.step) seen.ops.clear();
  seen.step = step;
  constexpr size_t kSecond = 2;  // arrival
  SymRef count;
  const size_t arrivals = seen.note(num_ops_);
  if (arrivals != kSecond && arrivals != Arrivals::kMost) return true;
  if (!count_turns(frame, test.start, test.compare, step, &count)) {
    plan.refused = control_->restart = true;
    return false;
  }
  if (!count || (count->kind == SymKind::kConst &&
                 !seen.will_be_many(PyLong_AsLongLong(count->object.get()))))
    return true;
  plan.wanted = control_->counted = control_->restart = true;
  plan.loop = loop;
  plan.compare = test.compare;
  plan.facts.counters[slot] = step;
  return fail(BreakReason::kUnrollLimit);
}

// Called where the test of such a loop begins. `captured`: the loop is a Scan now, and the frame is
// to go on with the test.
bool Executor::capture_counted(SymFrame& frame, bool* captured) {
  const auto found = control_->scans.find({frame.code, frame.pc});
  if (found == control_->scans.end() || found->second.loop < 0 || frame.counted == frame.pc)
    return true;
  ScanPlan& plan = found->second;
  if (plan.refused || !handled_.empty() || fork_depth_ > 16) return true;
  const int64_t step = plan.facts.counters[(*frame.code)[frame.pc].arg];
  SymRef count;
  if (!count_turns(frame, frame.pc, plan.compare, step, &count)) {
    plan.refused = control_->restart = true;
    return false;
  }
  if (step == 0) plan.refused = true;
  if (!count || !has_many_turns(count) || frame.peeled[frame.pc]++ < plan.peel) return true;
  return run_scan(frame, plan, count, captured);
}

}  // namespace msjit
