#include "codegen/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "kernels/core/log.h"

namespace msjit {
namespace {

constexpr size_t kKeptKernels = 512;           // kept alive although no executable uses them
constexpr int64_t kElementsPerThread = 32768;  // scaled down by the work an element takes

struct Cache {
  std::mutex mutex;
  std::unordered_map<size_t, KernelPtr>
      kernels;  // hash -> kernel; a clash of hashes replaces the older one
  std::deque<size_t> order;
  std::atomic<int64_t> compiles{0}, hits{0};
  double compile_ms = 0;
};

Cache& cache() {
  static Cache* instance = new Cache;  // outlives the compile thread
  return *instance;
}

KernelPtr find(size_t hash, const KernelSpec& spec) {
  std::lock_guard lock(cache().mutex);
  auto it = cache().kernels.find(hash);
  if (it == cache().kernels.end() || !(it->second->spec() == spec)) return nullptr;
  ++cache().hits;
  return it->second;
}

void insert(size_t hash, const KernelPtr& kernel) {
  std::vector<KernelPtr> dropped;  // destroyed after the lock is gone
  std::lock_guard lock(cache().mutex);
  Cache& all = cache();
  ++all.compiles;
  all.compile_ms += kernel->compile_ms();
  if (auto [it, added] = all.kernels.emplace(hash, kernel); !added) {
    dropped.push_back(std::exchange(it->second, kernel));
    return;
  }
  all.order.push_back(hash);
  if (all.order.size() <= kKeptKernels) return;
  auto oldest = all.kernels.find(all.order.front());
  all.order.pop_front();
  dropped.push_back(std::move(oldest->second));
  all.kernels.erase(oldest);
}

void log_kernel(const KernelSpec& spec, const std::string& name, const std::string& ir,
                const std::string& assembly, double ms) {
  MSJIT_LOGF(LogTopic::kPlan, "{} {} compiled in {:.2f} ms", name, spec.str(), ms);
  if (log_enabled(LogTopic::kIr)) log_text(LogTopic::kIr, ir);
  if (log_enabled(LogTopic::kAsm)) log_text(LogTopic::kAsm, assembly);
  if (dump_enabled() && !ir.empty()) dump_file(name + ".ll", ir);
}

KernelPtr compile(const KernelSpec& spec) {
  static std::atomic<int> next_name{0};
  std::string error;
  const Backend* backend = load_backend(&error);
  CompiledCode code;
  double ms = 0;
  if (backend) {
    std::string ir, assembly;
    std::string name = fmt::format("fused_{}", next_name++);
    BackendRequest request{&spec, name.c_str()};
    if (log_enabled(LogTopic::kIr) || dump_enabled()) request.ir = &ir;
    if (log_enabled(LogTopic::kAsm)) request.asm_text = &assembly;
    auto start = std::chrono::steady_clock::now();
    if (!backend->compile(request, &code, &error)) {
      code = {};
      if (error.empty()) error = "unknown failure";
    }
    ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    log_kernel(spec, name, ir, assembly, ms);
  }
  return std::make_shared<const CompiledKernel>(spec, backend, code, ms, std::move(error));
}

}  // namespace

CompiledKernel::CompiledKernel(KernelSpec spec, const Backend* backend, CompiledCode code,
                               double ms, std::string error)
    : spec_(std::move(spec)), backend_(backend), code_(code), ms_(ms), error_(std::move(error)) {}

LaunchRange launch_range(const KernelSpec& spec) {
  LaunchRange range;
  int split = split_dim(spec);
  range.extent = split < 0 ? 1 : spec.dims[split];
  int64_t row = spec.dims.numel() / std::max<int64_t>(range.extent, 1);
  int64_t cost = 1 + static_cast<int64_t>(spec.body.size()) / 16;
  range.grain = std::max<int64_t>(kElementsPerThread / (std::max<int64_t>(row, 1) * cost), 1);
  if (split == spec.dims.rank() - 1) range.align = 64;  // whole vectors and cache lines
  return range;
}

KernelPtr find_kernel(const KernelSpec& spec) { return find(spec.hash(), spec); }

CompiledKernel::~CompiledKernel() {
  if (code_.handle) backend_->release(code_);
}

KernelPtr get_kernel(const KernelSpec& spec) {
  size_t hash = spec.hash();
  if (KernelPtr found = find(hash, spec)) return found;
  KernelPtr kernel = compile(spec);
  if (!kernel->fn())
    MSJIT_LOGF(LogTopic::kPlan, "a fused loop stays op by op: {}", kernel->error());
  insert(hash, kernel);
  return kernel;
}

KernelCacheStats kernel_cache_stats() {
  std::lock_guard lock(cache().mutex);
  Cache& all = cache();
  return {static_cast<int64_t>(all.kernels.size()), all.compiles, all.hits, all.compile_ms};
}

}  // namespace msjit
