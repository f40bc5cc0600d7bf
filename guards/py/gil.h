// Running without the GIL for the length of a scope. A daemon thread that wants it back while the
// interpreter shuts down is ended by CPython with pthread_exit, whose unwinding would terminate the
// process at the first noexcept function; such a thread waits here for the process to end instead.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace msjit {

// `call()`, which runs Python code and so may give the GIL away and want it back.
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
