// The background compiler: one thread of low priority that runs jobs in the order they came.
// The thread starts with the first job. It is joined at exit, and a forked child starts its own:
// fork waits for the job under way, so no lock of the code generator is ever held in the child.
#pragma once

#include <memory>

namespace msjit {

class CompileJob {
 public:
  virtual ~CompileJob() = default;
  virtual void run() = 0;   // on the compile thread
  virtual void drop() = 0;  // instead of run(), when the process exits first, or behind it, when
                            // memory ran out in its midst
};

void compile_queue_submit(std::shared_ptr<CompileJob> job);
// True when MSJIT_SYNC_COMPILE asks for compiling in the calling thread.
bool compile_synchronously();
bool on_compile_thread();
// Runs a job in the calling thread, one at a time with the background thread.
void compile_now(CompileJob& job);

// Waits until no job is queued or under way. Not on the compile thread.
void compile_queue_wait();

// Ends the thread for good: queued jobs are dropped, the one under way is waited for. Whoever
// embeds the core calls it before the process exits, that is before static objects of the code
// generator's library, made while it works, are destroyed.
void compile_queue_stop();
// Ends the thread when the process exits, as far as that can still be safe; called again once the
// code generator's library is loaded.
void compile_queue_stop_at_exit();

}  // namespace msjit
