// What one run of a plan needs beside its inputs and outputs: the slot table and the arena with its
// tensor headers. A workspace serves one run at a time; the pool hands one to each concurrent run
// without a lock.
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
  // Keeps the workspace for the next run while the process holds few arena bytes in all, else frees
  // it.
  void give_back(Workspace* workspace);
  // Frees the workspaces that are kept, if they are large.
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
