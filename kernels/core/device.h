// Device: where the bytes of a tensor are. The host must not follow the addresses of an
// accelerator's memory; kernels/device/device_tensors.h copies such tensors to the host.
#pragma once

#include <cstdint>
#include <string>

namespace msjit {

enum class DeviceType : uint8_t { kCpu, kCuda };
inline constexpr int kNumDeviceTypes = 2;

struct Device {
  DeviceType type = DeviceType::kCpu;
  uint8_t index = 0;
  bool is_host() const { return type == DeviceType::kCpu; }
  std::string str() const {  // "CPU", "GPU:0"
    return is_host() ? "CPU" : "GPU:" + std::to_string(index);
  }
  friend bool operator==(const Device&, const Device&) = default;
};

// Where ops without an input put their results, and where new tensors of a program go. Changes
// rarely.
Device default_device();
void set_default_device(Device device);

}  // namespace msjit
