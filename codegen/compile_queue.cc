#include "codegen/compile_queue.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "kernels/core/log.h"
#include "kernels/core/out_of_memory.h"

namespace msjit {
namespace {

constexpr int kNiceness = 10;
thread_local bool t_compiles = false;

class Queue {
 public:
  void submit(std::shared_ptr<CompileJob> job) {
    std::unique_lock lock(mutex_);
    if (stopping_ || (!thread_.joinable() && !finishes([&] { start(); }))) {
      lock.unlock();
      job->drop();
      return;
    }
    jobs_.push_back(std::move(job));
    wake_.notify_one();
  }

  void run_here(CompileJob& job) {
    std::lock_guard running(running_);
    job.run();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return stopping_ || (jobs_.empty() && !busy_); });
  }

  void stop() {
    std::deque<std::shared_ptr<CompileJob>> left;
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      left.swap(jobs_);
      wake_.notify_all();
      idle_.notify_all();
    }
    for (auto& job : left) job->drop();
    if (thread_.joinable()) thread_.join();
  }

  // The parent holds both locks during fork(). The child inherits the queue but no thread.
  void before_fork() {
    running_.lock();
    mutex_.lock();
  }
  void after_fork_in_parent() {
    mutex_.unlock();
    running_.unlock();
  }
  void after_fork_in_child() {
    new (&thread_) std::thread;  // the old object names a thread that does not exist here
    new (&wake_) std::condition_variable;
    new (&idle_) std::condition_variable;
    mutex_.unlock();
    running_.unlock();
    std::lock_guard lock(mutex_);
    if (!jobs_.empty() && !stopping_) finishes([&] { start(); });
  }

 private:
  void start() {
    static bool hooked = [] {
      pthread_atfork([] { instance().before_fork(); }, [] { instance().after_fork_in_parent(); },
                     [] { instance().after_fork_in_child(); });
      compile_queue_stop_at_exit();
      return true;
    }();
    (void)hooked;
    thread_ = std::thread([this] { loop(); });
  }

  void loop() {
    t_compiles = true;
    pthread_setname_np(pthread_self(), "msjit-compile");
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness);
    for (;;) {
      // Locked before a job is removed from the queue, so that fork() finds each job queued or
      // finished.
      std::unique_lock running(running_, std::defer_lock);
      std::shared_ptr<CompileJob> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      }
      running.lock();
      {
        std::lock_guard lock(mutex_);
        if (stopping_) return;
        if (jobs_.empty()) continue;
        job = std::move(jobs_.front());
        jobs_.pop_front();
        busy_ = true;
      }
      if (!finishes([&] { job->run(); })) job->drop();
      job.reset();
      std::lock_guard lock(mutex_);
      busy_ = false;
      idle_.notify_all();
    }
  }

 public:
  static Queue& instance() {
    static Queue* queue = new Queue;  // never destroyed: threads may outlive static objects
    return *queue;
  }

 private:
  std::mutex mutex_;    // guards the fields below
  std::mutex running_;  // held while a job runs
  std::condition_variable wake_, idle_;
  std::deque<std::shared_ptr<CompileJob>> jobs_;
  std::thread thread_;
  bool busy_ = false;  // a job is under way
  bool stopping_ = false;
};

}  // namespace

void compile_queue_submit(std::shared_ptr<CompileJob> job) {
  Queue::instance().submit(std::move(job));
}

bool compile_synchronously() {
  static const bool sync = env_flag("MSJIT_SYNC_COMPILE");
  return sync;
}

bool on_compile_thread() { return t_compiles; }

void compile_now(CompileJob& job) { Queue::instance().run_here(job); }

void compile_queue_wait() { Queue::instance().wait(); }

void compile_queue_stop() { Queue::instance().stop(); }

void compile_queue_stop_at_exit() { std::atexit(compile_queue_stop); }

}  // namespace msjit
