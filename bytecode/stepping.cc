#include "bytecode/stepping.h"

namespace msjit {

// For the second instruction of one bytecode (LoadGlobal after its PushNull), goes back to the
// place where CPython can resume.
Step Stepping::hand_over() const {
  int at = index;
  while (!code[at].is_exit() && at > 0 && code[at - 1].op == Op::kPushNull) {
    frame.drop(1);
    at--;
  }
  return {Step::kHandOver, at, {}};
}

bool let_others_run() {
  if (PyErr_CheckSignals() < 0) return false;
  PyThreadState* thread = PyEval_SaveThread();
  PyEval_RestoreThread(thread);
  return true;
}

Step step_next(const Stepping& s) { return s.next(); }
Step step_in_cpython(const Stepping& s) { return s.hand_over(); }

}  // namespace msjit
