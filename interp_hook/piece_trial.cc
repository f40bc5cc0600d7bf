#include "interp_hook/piece_trial.h"

#include <fmt/core.h>

#include <algorithm>

#include "codegen/compile_queue.h"
#include "interp_hook/config.h"
#include "interp_hook/entry.h"
#include "interp_hook/point_policy.h"
#include "kernels/eager/tape.h"

namespace msjit {

CallTrial::Turn next_turn_in_pieces(CodeState& state) {
  const CallTrial::Turn turn = state.trial.turn();
  if (turn == CallTrial::Turn::kNone) [[likely]]
    return turn;
  if (compile_synchronously() || jit_config().check || gradients_asked())
    return CallTrial::Turn::kNone;
  for (const auto& [index, point] : state.points)
    for (const auto& entry : point.entries)
      if (!static_cast<const Entry&>(*entry).is_compiled())
        return state.trial.put_off() ? CallTrial::Turn::kNone : turn;
  return turn;
}

void end_pieces(CodeState& state) {
  constexpr int64_t kLater = 32;                      // tried again after this many times the calls
  if (2 * state.trial.calls() < state.calls) return;  // most calls are one region, and fast
  const char* const reason = break_name(BreakReason::kSlower);
  const auto is_known = [&](const BreakRecord& known) { return known.reason == reason; };
  if (std::ranges::none_of(state.breaks, is_known))
    state.count_break(
        state.line, reason,
        break_text(BreakReason::kSlower,
                   fmt::format("{:.1f} us a call, interpreter {:.1f} us", state.trial.pieces_us(),
                               state.trial.interpreter_us())));
  leave_alone(state, kLater * state.calls);
}

}  // namespace msjit
