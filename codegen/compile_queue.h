// The background compiler: one low-priority thread that runs jobs in the order they were submitted.
// It starts with the first job and is joined at exit. fork() waits for the job under way, so a
// forked child never inherits a held lock of the code generator; it starts a compile thread itself.
#pragma once

#include <memory>

namespace msjit {

class CompileJob {
 public:
  virtual ~CompileJob() = default;
  virtual void run() = 0;   // on the compile thread
  virtual void drop() = 0;  // called instead of run() when the process exits first, or after a
                            // run() that ran out of memory
};

void compile_queue_submit(std::shared_ptr<CompileJob> job);
// True when MSJIT_SYNC_COMPILE asks for compiling in the calling thread.
bool compile_synchronously();
bool on_compile_thread();
// Runs a job in the calling thread, never at the same time as the background thread runs one.
void compile_now(CompileJob& job);

// Waits until no job is queued or under way. Not on the compile thread.
void compile_queue_wait();

// Ends the thread for good: drops the queued jobs and waits for the one under way. Whoever embeds
// the core calls it before the process exits. It must come before the static objects of the code
// generator's library are destroyed.
void compile_queue_stop();
// Registers compile_queue_stop() with atexit(). Called again once the code generator's library is
// loaded: handlers run in reverse order, so the thread then ends before that library's static
// objects do.
void compile_queue_stop_at_exit();

}  // namespace msjit
