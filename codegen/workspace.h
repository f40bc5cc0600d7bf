// What one run of a plan needs besides its inputs and outputs: the slot table, and the arena with
// its tensor headers. A workspace serves one run at a time. The pool gives one to each concurrent
// run without a lock.
#pragma once

#include <atomic>
#include <vector>

#include "codegen/plan.h"

namespace msjit {

struct Workspace {
  std::vector<TensorImpl*> slots;     // borrowed, except kFresh, kView and kTemp slots during a run
  std::vector<Tensor> arena_tensors;  // owners of the kArena slots
  int64_t bytes = 0;
  ~Workspace();
};

class WorkspacePool {
 public:
  explicit WorkspacePool(const Plan& plan) : plan_(plan) {}
  ~WorkspacePool();
  Result<Workspace*> take();
  // Keeps the workspace for the next run if the process holds few idle arena bytes in all;
  // otherwise frees it.
  void give_back(Workspace* workspace);
  // Frees the kept workspaces if they are large.
  void release();

 private:
  void drop();
  Result<Workspace*> make();
  static constexpr int kKept = 4;
  const Plan& plan_;
  std::atomic<bool> made_ = false;
  std::atomic<Workspace*> kept_[kKept] = {};
};

}  // namespace msjit
