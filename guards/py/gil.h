// Releasing the GIL for a scope. When the interpreter shuts down, CPython ends a daemon thread that
// wants the GIL back with pthread_exit. That unwinds the stack and would terminate the process at
// the first noexcept function. Such a thread waits here for the end of the process instead.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace msjit {

// Runs `call()`, which may release the GIL and take it back because it runs Python code.
template <class Call>
auto outlive_interpreter(Call call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease() {
    outlive_interpreter([this] { PyEval_RestoreThread(thread_); });
  }
  GilRelease(const GilRelease&) = delete;

 private:
  PyThreadState* thread_;
};

// The GIL for the length of a scope, on a thread that may hold it already.
class GilAcquire {
 public:
  GilAcquire() : state_(outlive_interpreter([] { return PyGILState_Ensure(); })) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace msjit
