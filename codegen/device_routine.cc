// Runs a routine on a device: compiles it once per key and queues it.
#include <algorithm>

#include "codegen/device_ops.h"
#include "codegen/object_loader.h"
#include "kernels/device/routine.h"

namespace msjit {
namespace {

using devices::Context;
using devices::Routine;
using devices::RoutineCall;

Result<DeviceRoutine> compile(DeviceApi& api, const RoutineCall& call) {
  devices::RoutineMaker maker;
  call.make(maker, call.key);
  const Routine routine = maker.take();
  MSJIT_TRY(const std::string code,
            device_code_for(api.traits(), {.spec = nullptr, .name = nullptr, .routine = &routine}));
  MSJIT_TRY(const DeviceModule module, api.load_module(code));
  MSJIT_TRY(const DeviceFunction function, api.find_function(module, kKernelSymbol));
  return DeviceRoutine{module, function, routine.num_pointers, routine.num_numbers};
}

Result<DeviceRoutine> find(Context& at, const RoutineCall& call) {
  DeviceCode& code = device_code(at);
  std::lock_guard lock(code.mutex);
  const std::pair key(call.make, call.key);
  const auto known = code.routines.find(key);
  if (known != code.routines.end()) return known->second;
  MSJIT_TRY(const DeviceRoutine made, compile(at.api, call));
  return code.routines[key] = made;
}

Status run(Context& at, const RoutineCall& call) {
  if (call.points == 0) return {};
  MSJIT_TRY(const DeviceRoutine routine, find(at, call));
  // A routine may leave arguments unread.
  if (static_cast<size_t>(routine.num_pointers) > call.pointers.size() ||
      static_cast<size_t>(routine.num_numbers) > call.numbers.size())
    return internal_error("[routine] arguments, got {} and {}, expected {} and {}",
                          call.pointers.size(), call.numbers.size(), routine.num_pointers,
                          routine.num_numbers);
  InlineVec<void*, 16> parameters;
  for (int i = 0; i < routine.num_pointers; ++i)
    parameters.push_back(const_cast<void**>(&call.pointers[static_cast<size_t>(i)]));
  for (int i = 0; i < routine.num_numbers; ++i)
    parameters.push_back(const_cast<int64_t*>(&call.numbers[static_cast<size_t>(i)]));
  parameters.push_back(const_cast<int64_t*>(&call.points));
  const int64_t blocks = std::min((call.points + kBlockThreads - 1) / kBlockThreads,
                                  kBlocksPerProcessor * at.api.traits().processors);
  return at.api.launch(routine.function, blocks, kBlockThreads,
                       {parameters.data(), parameters.size()}, at.stream);
}

[[maybe_unused]] const bool g_installed = (devices::run_routine = run, true);

}  // namespace
}  // namespace msjit
