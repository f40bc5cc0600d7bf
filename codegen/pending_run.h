// PendingRun: a run that is complete except for its commit, which writes results over inputs in
// place. Everything that can fail has been done, so the caller may still discard the run without a
// trace. The commit only needs memory, and only while its kernels are not compiled. When it gets
// none, some inputs are written and others are not, as with eager operators. A graph with
// `writes_early` is different: its run writes over inputs before it ends, as soon as nothing can
// fail any more.
#pragma once

#include <vector>

#include "kernels/core/tensor.h"

namespace msjit {

class PlanRunner;
struct Workspace;

class PendingRun {
 public:
  PendingRun() = default;
  ~PendingRun() { drop(); }
  PendingRun(const PendingRun&) = delete;

  bool waits() const { return workspace_ != nullptr; }
  // True after a run that has written over inputs: it can be neither discarded nor repeated.
  bool has_written() const { return written_; }
  // Whether nobody has written to the inputs that the commit still has to read.
  bool still_holds() const;
  Status commit();

 private:
  friend class PlanRunner;
  struct Read {
    Tensor tensor;
    Storage storage;
    uint64_t version;
  };
  void drop();

  PlanRunner* runner_ = nullptr;
  Workspace* workspace_ = nullptr;
  bool written_ = false;
  std::vector<Read> reads_;
};

}  // namespace msjit
