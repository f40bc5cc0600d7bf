// Runs one operator on a device. Tried in this order: the device kernel that the operator declares
// (`.cuda`); fused kernels of a graph that holds only this operator, or its composite; the host
// kernel on copies of the inputs, which waits for the device.
#pragma once

#include <atomic>
#include <map>
#include <tuple>

#include "codegen/device_program.h"
#include "kernels/device/routine.h"

namespace msjit {

// A compiled routine.
struct DeviceRoutine {
  DeviceModule module;
  DeviceFunction function;
  int num_pointers, num_numbers;
};

// The compiled code of one device.
struct DeviceCode {
  explicit DeviceCode(DeviceApi& api) : api(api), kernels(api) {}
  ~DeviceCode() {
    for (auto& [key, routine] : routines) static_cast<void>(api.unload(routine.module));
  }
  DeviceCode(const DeviceCode&) = delete;
  DeviceApi& api;
  DeviceKernels kernels;

  struct Program {
    const OpDef* op;
    std::vector<Meta> metas;  // of the inputs; absent ones count as float32[]
    std::vector<char> given;
    Attrs attrs;
    std::unique_ptr<DeviceProgram> program;  // null: its kernel runs on the host
  };
  std::mutex mutex;
  std::unordered_map<size_t, std::vector<std::shared_ptr<const Program>>> programs;  // by hash
  size_t num_programs = 0;
  std::map<std::pair<devices::RoutineFn, devices::RoutineKey>, DeviceRoutine> routines;
  std::map<std::tuple<DType, bool, uint64_t>, Tensor> numbers;  // see device_number
  std::atomic<int64_t> host_runs{0};                            // operators that ran on the host
};

DeviceCode& device_code(devices::Context& at);

// A one-element host tensor on the device. Copies are cached, since programs use the same few
// numbers again and again.
Result<Tensor> device_number(devices::Context& at, const Tensor& number);

}  // namespace msjit
