#include "kernels/processes/calls.h"

#include <deque>
#include <utility>

#include "kernels/eager/unlocked.h"
#include "kernels/processes/groups.h"

namespace msjit {

bool (*g_others_run)() = nullptr;
bool (*g_call_waited)() = nullptr;

namespace {

thread_local std::vector<MadeCall>* t_log = nullptr;
thread_local std::deque<MadeCall> t_replays;
// None of them has been asked for yet.
thread_local bool t_untouched = false;

// Takes the next replayed call, if it is this one. Another one means that the program has gone
// another way than the region; then nothing can be replayed.
std::unique_ptr<MadeCall> take_replay(int group, int64_t digest, int64_t of_call) {
  if (t_replays.empty()) [[likely]]
    return nullptr;
  t_untouched = false;
  MadeCall next = std::move(t_replays.front());
  t_replays.pop_front();
  if (next.group == group && next.digest == digest && next.of_call == of_call)
    return std::make_unique<MadeCall>(std::move(next));
  t_replays.clear();
  return nullptr;
}

Status replay(const MadeCall& made, std::span<const Tensor> results) {
  if (made.failure) return std::make_unique<Error>(*made.failure);
  for (size_t i = 0; i < results.size(); ++i) copy_strided(made.results[i], results[i]);
  return {};
}

Status send(const KernelCtx& ctx, int group, const CallText& text, int64_t of_call,
            const std::function<Status(std::span<const Tensor> in)>& move) {
  const StandIns own(ctx.in);
  Status status;
  without_lock([&] {
    status = [&]() -> Status {
      MSJIT_TRY(const ProcessGroup g, process_group(group));
      const std::lock_guard lock(g.state->lock);
      MSJIT_TRY(const int64_t number, agree_on_call(group, text, of_call));
      *ctx.out.back().data_as<int64_t>() = number;
      return move(own.tensors());
    }();
  });
  return status;
}

// Lets the host look at what other threads and signal handlers have done meanwhile. They may make
// calls themselves, which are no part of the region.
Status look_around(const char* where) {
  std::vector<MadeCall>* const log = std::exchange(t_log, nullptr);
  const bool stop = g_call_waited();
  t_log = log;
  if (stop) return runtime_error("[{}] the region was given up", where);
  return {};
}

}  // namespace

CallLog::CallLog(std::vector<MadeCall>* calls) : outer_(std::exchange(t_log, calls)) {}
CallLog::~CallLog() { t_log = outer_; }

void replay_calls(std::vector<MadeCall> calls) {
  t_untouched = !calls.empty();
  t_replays.insert(t_replays.begin(), std::make_move_iterator(calls.begin()),
                   std::make_move_iterator(calls.end()));
}

ReplayScope::ReplayScope() : inside_(!t_replays.empty()) {}
ReplayScope::~ReplayScope() {
  // The interpreter may go on with what was given up behind this scope.
  if (!inside_ && !t_untouched) t_replays.clear();
}

Status require_host(const Meta& meta) {
  if (meta.device.is_host()) return {};
  return not_implemented_error("[communication] device of a tensor, got {}, expected the CPU",
                               meta.device.str());
}

Status make_call(const KernelCtx& ctx, int group, const CallText& text, const Tensor& call,
                 const std::function<Status(std::span<const Tensor> in)>& move) {
  if (call && (call.dtype() != DType::kInt64 || call.numel() != 1))
    return type_error("[{}] call, got {}, expected the number of a call", ctx.op.name,
                      call.meta().str());
  const int64_t of_call = call ? *call.data_as<int64_t>() : 0;
  const bool noted = t_log || !t_replays.empty();
  const int64_t digest = noted ? text_digest(text.where + '\n' + text.details) : 0;
  const bool shared = t_log && g_others_run && g_others_run();
  const auto made = take_replay(group, digest, of_call);
  Status status = made ? replay(*made, ctx.out) : send(ctx, group, text, of_call, move);
  if (!t_log) return status;
  t_log->push_back({group,
                    digest,
                    of_call,
                    {ctx.out.begin(), ctx.out.end()},
                    status.ok() ? nullptr : std::make_unique<Error>(status.error())});
  MSJIT_OK(std::move(status));
  return made || !shared ? Status() : look_around(ctx.op.name);
}

}  // namespace msjit
