// PendingRun: a run of which nothing is left but to write results over inputs, in place. Whatever
// can fail has been done before, so a caller may still give it up without a trace. The commit
// itself only needs memory, and only while its kernels are not compiled; where there is none, some
// inputs are written and others not, as by eager operators. A graph with `writes_early` writes
// before its run ends, once all that may refuse its inputs has been done.
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
  // Whether the run has written over inputs already: it cannot be given up, nor run again.
  bool has_written() const { return written_; }
  // Whether the inputs that are still to be read have been left alone.
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
