// AutoCasts: the scopes of automatic mixed precision that the captured program has opened so far.
// No region begins or ends inside one: while the thread itself is in one, nothing is captured.
#pragma once

#include <vector>

#include "kernels/core/dtype.h"

namespace msjit {

class AutoCasts {
 public:
  // `step`: the current step of the outermost frame.
  void push(DType dtype, int step) {
    if (dtypes_.empty()) open_step_ = step;
    dtypes_.push_back(dtype);
  }
  bool pop() {  // false: none is open
    if (dtypes_.empty()) return false;
    dtypes_.pop_back();
    return true;
  }
  bool open() const { return !dtypes_.empty(); }
  DType dtype() const { return dtypes_.back(); }
  int open_step() const { return open_step_; }  // where the outermost open scope was opened

 private:
  std::vector<DType> dtypes_;
  int open_step_ = -1;
};

}  // namespace msjit
