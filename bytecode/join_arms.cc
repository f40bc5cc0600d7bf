// Joins the two arms of a branch: their slots, stacks and results, and the changes of
// arm_changes.h. The joined values become those of the frame that was forked.
#include <fmt/core.h>

#include "bytecode/arm_changes.h"
#include "guards/py/text.h"
#include "kernels/core/registry.h"

namespace msjit {
namespace {

class ArmJoin {
 public:
  ArmJoin(Executor& x, SymFrame& frame, SymFrame* arms, Joiner& joiner)
      : x_(x), frame_(frame), arms_(arms), joiner_(joiner) {}

  bool run(const SymRef& tested, const ArmChanges* changes);

 private:
  // Where both arms ended: by a return, at the same instruction, or at the end of a turn of the
  // loop whose body they are part of.
  enum class Place { kReturn, kInstruction, kTurn };

  bool find_place();
  bool join_slots();
  bool join_stacks();
  bool join_results();
  bool both_ways() const { return arms_[0].again || arms_[1].again; }
  Val goes_on(const SymFrame& arm);
  bool refuse(const std::string& what) { return x_.fail(BreakReason::kTensorBranch, what); }

  Executor& x_;
  SymFrame& frame_;
  SymFrame* const arms_;
  Joiner& joiner_;
  Place place_ = Place::kReturn;
};

bool returned(const SymFrame& arm) { return arm.result && !arm.again; }

// Whether an arm of a loop body ended where a turn of the loop ends.
bool ends_turn(const SymFrame& arm) {
  if (arm.loop_header < 0) return false;
  return arm.result || arm.again || arm.pc == arm.loop_header || arm.pc == arm.loop_exit;
}

// Whether a slot may be read after the end of this arm.
bool needed(Executor& x, const SymFrame& arm, int slot) {
  if (returned(arm)) return false;
  ControlPlan& control = x.control();
  if (!arm.again) return control.live(*arm.code, arm.pc, slot);
  return control.live(*arm.code, arm.loop_header, slot) ||
         (arm.loop_exit >= 0 && control.live(*arm.code, arm.loop_exit, slot));
}

std::string slot_text(const SymFrame& frame, size_t slot) {
  const char* name = utf8_text(frame.code->slot_name(int(slot)).get());
  return name ? name : "?";
}

bool ArmJoin::find_place() {
  const bool ends[2] = {returned(arms_[0]), returned(arms_[1])};
  if (ends[0] && ends[1]) return place_ = Place::kReturn, true;
  if (!ends[0] && !ends[1] && !both_ways() && arms_[0].pc == arms_[1].pc)
    return place_ = Place::kInstruction, true;
  if (ends_turn(arms_[0]) && ends_turn(arms_[1])) return place_ = Place::kTurn, true;
  // A `continue` of an outer loop goes to that loop's header. Then only the inner loop is
  // captured, and the outer one is unrolled.
  ControlPlan& control = x_.control();
  for (int side : {0, 1}) {
    const auto outer = control.loops.find({frame_.code, arms_[side].pc});
    if (frame_.loop_header < 0 || ends[side] || outer == control.loops.end() ||
        !control.cfg(*frame_.code).in_loop(arms_[side].pc, frame_.loop_header))
      continue;
    outer->second.refused = control.restart = true;
  }
  return refuse("its arms end in different places");
}

bool ArmJoin::join_slots() {
  for (size_t i = 0; i < frame_.slots.size(); ++i) {
    SymRef values[2];
    bool needs[2];
    for (int side : {0, 1}) {
      needs[side] = needed(x_, arms_[side], int(i));
      values[side] = arms_[side].slots[i];
    }
    // A slot of the outermost frame that one arm has not touched is read, if the other arm has
    // assigned it.
    if (!values[0] != !values[1] && (needs[0] || needs[1]))
      for (int side : {0, 1}) values[side] = x_.slot(arms_[side], int(i));
    SymRef value = joiner_.join(values[0], needs[0], values[1], needs[1]);
    if (!value && (values[0] || values[1]))
      return refuse(fmt::format("{}{} is {}", place_ == Place::kTurn ? "the loop changes " : "",
                                slot_text(frame_, i), joiner_.why));
    frame_.slots[i] = std::move(value);
  }
  return true;
}

bool ArmJoin::join_stacks() {
  std::vector<SymRef> stack;
  for (size_t i = 0; i < std::max(arms_[0].stack.size(), arms_[1].stack.size()); ++i) {
    const bool has[2] = {i < arms_[0].stack.size(), i < arms_[1].stack.size()};
    SymRef value = joiner_.join(has[0] ? arms_[0].stack[i] : null_sym(), has[0],
                                has[1] ? arms_[1].stack[i] : null_sym(), has[1]);
    if (!value) return refuse("a value on the stack is " + joiner_.why);
    stack.push_back(std::move(value));
  }
  frame_.stack = std::move(stack);
  return true;
}

bool ArmJoin::join_results() {
  if (!arms_[0].result && !arms_[1].result) return true;
  const auto result = [](const SymFrame& arm) { return arm.result ? arm.result : null_sym(); };
  const SymRef a = result(arms_[0]), b = result(arms_[1]);
  frame_.result = joiner_.join(a, !a->is_null(), b, !b->is_null());
  return frame_.result || refuse("its result is " + joiner_.why);
}

// The flag whether the loop goes on after this arm.
Val ArmJoin::goes_on(const SymFrame& arm) {
  if (arm.again) return arm.again;
  const bool back = !arm.result && arm.pc == arm.loop_header;
  return x_.sink().constant(Tensor::scalar<bool>(back));
}

bool ArmJoin::run(const SymRef& tested, const ArmChanges* changes) {
  if (!find_place()) return false;
  if (place_ != Place::kReturn && !(join_slots() && join_stacks())) return false;
  if (!join_results()) return false;
  JoinedChanges joined;
  if (!join_changes(joiner_, changes, &joined)) return refuse(joiner_.why);
  SymRef again;
  Val flag;
  if (place_ == Place::kTurn) {
    if (both_ways())
      again = joiner_.pair(goes_on(arms_[0]).id(), goes_on(arms_[1]).id());
    else if (arms_[0].pc == frame_.loop_header && !arms_[0].result)
      flag = tested->tensor;  // this is the only test: the loop goes on if it is true
    else
      flag = msjit::call(*find_op("logical_not"), {tested->tensor});
  }
  if (Status status = joiner_.finish(tested->tensor); !status.ok())
    return refuse(status.error().message);
  if (again) flag = again->tensor;
  if (!make_changes(x_, joined)) return false;
  frame_.again = flag;
  if (place_ == Place::kInstruction) frame_.next = arms_[0].pc;
  return true;
}

}  // namespace

bool join_arms(Executor& x, SymFrame& frame, SymFrame* arms, const SymRef& tested,
               const ArmChanges* changes, Joiner& joiner) {
  return ArmJoin(x, frame, arms, joiner).run(tested, changes);
}

}  // namespace msjit
