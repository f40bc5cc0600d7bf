// MSJIT_DEVICE_TIMES=1: where a device's time goes. The host waits before and after each kernel,
// and a table by name is printed at exit. For short kernels the waits dominate the times.
#pragma once

#include <chrono>
#include <functional>

#include "kernels/device/device_tensors.h"

namespace msjit::devices {

bool times_are_asked();

class Timed {
 public:
  // `name` is only called when times are asked for.
  Timed(Context& at, const std::function<std::string()>& name);
  ~Timed();
  Timed(const Timed&) = delete;

 private:
  Context& at_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace msjit::devices
