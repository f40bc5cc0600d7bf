// Where a device's time goes: with MSJIT_DEVICE_TIMES=1 the host waits before and behind each
// kernel, and a table by name is printed at exit. Times of short kernels are those of the waits.
#pragma once

#include <chrono>
#include <functional>

#include "kernels/device/device_tensors.h"

namespace msjit::devices {

bool times_are_asked();

class Timed {
 public:
  // `name` is asked for where times are.
  Timed(Context& at, const std::function<std::string()>& name);
  ~Timed();
  Timed(const Timed&) = delete;

 private:
  Context& at_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace msjit::devices
