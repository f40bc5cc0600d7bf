// What one run of a plan needs besides its inputs and outputs: the slot table, and the arena with
// its tensor headers. A workspace serves one run at a time. The pool gives one to each concurrent
// run without a lock.
#pragma once

#include <atomic>
#include <vector>

#include "codegen/arenas.h"
#include "codegen/plan.h"

namespace msjit {

struct Workspace {
  std::vector<TensorImpl*> slots;     // borrowed, except kFresh, kView and kTemp slots during a run
  std::vector<Tensor> arena_tensors;  // owners of the kArena slots
  Storage arena;                      // what these view; a large arena is a part of a shared block
  arenas::Lease lease;                // of that block, while the workspace is in use
  char* address = nullptr;            // of the arena that the headers were last made for
};

class WorkspacePool {
 public:
  explicit WorkspacePool(const Plan& plan) : plan_(plan) {}
  ~WorkspacePool();
  Result<Workspace*> take();
  void give_back(Workspace* workspace);  // for the next run
  // Frees the kept workspaces if their arenas are large.
  void release();

 private:
  bool is_shared() const { return plan_.arena_bytes >= (plan_.open_sizes ? 1 : kSharedBytes); }
  void drop();
  Workspace* take_kept();
  Status make_headers(Workspace* workspace);
  // Gives the workspace a block, and its headers their addresses in it.
  Status lease(Workspace* workspace);
  static constexpr int64_t kSharedBytes = int64_t{1} << 16;
  static constexpr int kKept = 4;
  const Plan& plan_;
  std::atomic<Workspace*> kept_[kKept] = {};
};

}  // namespace msjit
