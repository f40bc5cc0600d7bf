#include "guards/py/late_release.h"

#include <Python.h>

#include <atomic>
#include <new>

namespace msjit {
namespace {

struct Due {
  void (*release)(void*);
  void* context;
  Due* next;
};
std::atomic<Due*> g_due{nullptr};  // a stack without a lock: fork() may happen at any time

void release_what_is_due() {
  for (Due* due = g_due.exchange(nullptr); due;) {
    const Due now = *due;
    delete due;
    now.release(now.context);
    due = now.next;
  }
}

}  // namespace

void release_with_gil(void (*release)(void* context), void* context) noexcept {
  if (!Py_IsInitialized()) return;
  if (PyGILState_Check()) {
    release_what_is_due();
    return release(context);
  }
  Due* const due = new (std::nothrow) Due{release, context, nullptr};
  if (!due) return;  // no memory for the note: the object stays
  Due* first = g_due.load();
  do due->next = first;
  while (!g_due.compare_exchange_weak(first, due));
  const auto call = [](void*) { return release_what_is_due(), 0; };
  if (!first) (void)Py_AddPendingCall(call, nullptr);
}

}  // namespace msjit
