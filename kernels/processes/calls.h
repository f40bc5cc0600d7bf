// Collective calls as operators make them: the members agree on the call, then its messages are
// sent, without the interpreter's lock. Compiled regions and the interpreter make the same calls
// with the same messages, so the members need not know how the others run.
//
// A region may have to be given up after it has made calls. The interpreter then runs it from its
// start. The other members do not make these calls again, so the interpreter is given their
// results, or errors, without any message: the calls are replayed.
#pragma once

#include <functional>

#include "kernels/core/op.h"
#include "kernels/processes/agreement.h"

namespace msjit {

// A call that a region has made.
struct MadeCall {
  int group = 0;
  int64_t digest = 0, of_call = 0;
  std::vector<Tensor> results;
  std::unique_ptr<Error> failure;
};

// While one lives, the calls of this thread are noted.
class CallLog {
 public:
  explicit CallLog(std::vector<MadeCall>* calls);
  ~CallLog();
  CallLog(const CallLog&) = delete;

 private:
  std::vector<MadeCall>* outer_;
};
// The next calls of this thread are replayed from these.
void replay_calls(std::vector<MadeCall> calls);
// Forgets at its end what was not replayed, because the program has gone another way. Not before
// the replay has begun, nor in the middle of a longer one.
class ReplayScope {
 public:
  ReplayScope();
  ~ReplayScope();
  ReplayScope(const ReplayScope&) = delete;

 private:
  const bool inside_;
};

// Set by the host of an interpreter. The first is asked before a region makes a call, whether other
// code may run in the meantime. If so, the second is called behind it. True: the region is given
// up.
extern bool (*g_others_run)();
extern bool (*g_call_waited)();

// NotImplementedError for a tensor on an accelerator.
Status require_host(const Meta& meta);

// One call of an operator. `call`: an int64 without axes, the number of the recorded call that a
// gradient belongs to, or null. The last output gets the number of this call. `move` fills the
// others; it is given stand-ins of the inputs, which other threads cannot change.
Status make_call(const KernelCtx& ctx, int group, const CallText& text, const Tensor& call,
                 const std::function<Status(std::span<const Tensor> in)>& move);

}  // namespace msjit
