#include "codegen/device_launch.h"

#include <algorithm>
#include <atomic>

#include "codegen/object_cache.h"
#include "codegen/object_loader.h"
#include "kernels/core/log.h"

namespace msjit {

Result<std::string> device_code_for(const DeviceTraits& traits, DeviceRequest request) {
  static std::atomic<int> next_name{0};
  request.name = kKernelSymbol;
  request.arch = traits.arch;
  const bool ptx = traits.code == CodeKind::kPtx;
  const bool shown = dump_enabled() || log_enabled(LogTopic::kIr) || log_enabled(LogTopic::kPtx);
  const std::string key =
      object_cache_enabled() && !shown ? object_cache_key(request, ptx) : std::string();
  if (!key.empty())
    if (auto known = object_cache_load(key)) return std::move(*known);
  std::string error, code, ir;
  const Backend* backend = load_backend(&error);
  if (!backend)
    return runtime_error("[device] code generator, got none ({}), expected LLVM 19", error);
  if (log_enabled(LogTopic::kIr) || dump_enabled()) request.ir = &ir;
  const auto make = ptx ? backend->compile_ptx : backend->compile_emulated;
  if (!make(request, &code, &error)) return runtime_error("{}", error);
  if (!ir.empty()) log_text(LogTopic::kIr, ir);
  if (ptx && log_enabled(LogTopic::kPtx)) log_text(LogTopic::kPtx, code);
  if (ptx && dump_enabled()) dump_file(fmt::format("device_{}.ptx", next_name++), code);
  if (!key.empty()) object_cache_store(key, code);
  return code;
}

Result<std::unique_ptr<DeviceKernel>> DeviceKernel::compile(DeviceApi& api,
                                                            const KernelSpec& spec) {
  std::unique_ptr<DeviceKernel> kernel(new DeviceKernel(api, spec));
  MSJIT_TRY(const std::string code,
            device_code_for(api.traits(), {.spec = &spec, .name = nullptr}));
  MSJIT_TRY(kernel->module_, api.load_module(code));
  MSJIT_TRY(kernel->function_, api.find_function(kernel->module_, kKernelSymbol));
  return kernel;
}

DeviceKernel::~DeviceKernel() {
  if (!module_.handle) return;
  const Status status = api_.unload(module_);
  (void)status;  // nothing could be done about it
}

Status DeviceKernel::launch(std::span<void* const> operands, std::span<const int64_t> sizes,
                            DeviceStream stream) const {
  const auto rank = static_cast<size_t>(spec_.dims.rank());
  const size_t numbers = spec_.open ? rank * (1 + operands.size()) + (spec_.uneven >= 0) : 0;
  if (operands.size() != spec_.operands.size() || sizes.size() != numbers)
    return internal_error("[launch] operands and sizes, got {} and {}, expected {} and {}",
                          operands.size(), sizes.size(), spec_.operands.size(), numbers);
  std::vector<void*> parameters;
  for (void* const& operand : operands) parameters.push_back(const_cast<void**>(&operand));
  for (const int64_t& size : sizes) parameters.push_back(const_cast<int64_t*>(&size));
  const std::span<const Dim> extents = spec_.open ? sizes.first(rank) : std::span(spec_.dims);
  const int64_t blocks =
      std::min(device_blocks(spec_, extents), kBlocksPerProcessor * api_.traits().processors);
  return api_.launch(function_, blocks, kBlockThreads, parameters, stream);
}

}  // namespace msjit
