#include "interp_hook/driver.h"

#include "guards/py/c_stack.h"
#include "interp_hook/frame_run.h"
#include "interp_hook/piece_trial.h"
#include "interp_hook/point_policy.h"

namespace msjit {

FrontEnd g_front_end;

Entry* find_entry(EntryPoint& point, const Slots& slots, PyObject** registers) {
  const std::shared_ptr<EntryBase>* found = point.find(slots, registers);
  return found ? static_cast<Entry*>(found->get()) : nullptr;
}

namespace {

// Calls without a region after which a marked function counts as one that touches no tensor.
constexpr int kCallsInVain = 16;

PyObject* drive_on_trial(FrameView& frame, const DecodedCode& code, CodeState& state) {
  const CallTrial::Turn turn = next_turn_in_pieces(state);
  const bool timed = turn != CallTrial::Turn::kNone;
  const Ref owner = Ref::share(reinterpret_cast<PyObject*>(state.code));
  const double start = timed ? Trial::now_us() : 0;
  PyObject* result = nullptr;
  if (turn == CallTrial::Turn::kInterpreter) {
    result = frame.resume();
  } else {
    if (!frame.prologue()) return nullptr;
    FrameRun run(frame, code, state, {});
    result = run.run();
    if (!timed && run.was_whole()) state.trial.was_whole();
  }
  if (timed && result && state.trial.took(turn, Trial::now_us() - start)) end_pieces(state);
  return result;
}

}  // namespace

PyObject* drive_frame(FrameView& frame) {
  const FramePolicy policy = hook::take_policy();
  CodeState* state = code_state(frame.code());
  if (!state || state->inert || !captures_here() || c_stack_left() < kDriveStack)
    return frame.resume();
  if (!policy.whole && !policy.source && is_short_lived(*state)) {
    ++state->calls;
    return frame.resume();
  }
  auto decoded = decode(frame.code());
  if (!decoded.ok() || decoded.value()->is_generator()) {
    leave_alone(*state);
    return frame.resume();
  }
  ++state->calls;
  if (state->calls > kCallsInVain && state->captured_calls == 0 &&
      !(state->start && state->start->recorded) && hook::marked(state->code) == drive_frame) {
    leave_alone(*state);
    return frame.resume();
  }
  if (policy.whole || policy.source) {
    if (!frame.prologue()) return nullptr;
    return FrameRun(frame, *decoded.value(), *state, policy).run();
  }
  return drive_on_trial(frame, *decoded.value(), *state);
}

}  // namespace msjit
