#include "codegen/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "codegen/backend.h"
#include "codegen/object_cache.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

constexpr size_t kKeptKernels = 512;  // kept alive although no executable uses them
constexpr size_t kMaxAbsent = 4096;
constexpr int64_t kElementsPerThread = 32768;  // scaled down by the work an element takes

struct Cache {
  std::mutex mutex;
  std::unordered_map<size_t, KernelPtr>
      kernels;  // hash -> kernel; a clash of hashes replaces the older one
  std::deque<size_t> order;
  std::unordered_set<size_t> absent;  // hashes of what no earlier process has kept
  std::atomic<int64_t> compiles{0}, loads{0}, hits{0};
  double compile_ms = 0;
};

Cache& cache() {
  static Cache* instance = new Cache;  // outlives the compile thread
  return *instance;
}

std::atomic<void (*)(const KernelSpec&)> g_observer{nullptr};

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

// Logs what a GPU would run in place of this kernel.
void log_ptx(const Backend& backend, const KernelSpec& spec, const std::string& name) {
  if (!log_enabled(LogTopic::kPtx)) return;
  std::string ptx, error;
  const bool made = backend.compile_ptx({&spec, name.c_str()}, &ptx, &error);
  log_text(LogTopic::kPtx, made ? ptx : error);
  if (made && dump_enabled()) dump_file(name + ".ptx", ptx);
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Only the code generator can produce the IR and assembly that a log or dump asks for.
bool is_shown() {
  return log_enabled(LogTopic::kIr) || log_enabled(LogTopic::kAsm) || log_enabled(LogTopic::kPtx) ||
         dump_enabled();
}

// The code that an earlier process kept; null when there is none.
KernelPtr load_kept(size_t hash, const KernelSpec& spec) {
  if (!object_cache_enabled() || is_shown()) return nullptr;
  {
    std::lock_guard lock(cache().mutex);
    if (cache().absent.count(hash)) return nullptr;
  }
  auto start = std::chrono::steady_clock::now();
  if (const auto object = object_cache_load(object_cache_key(spec))) {
    auto loaded = LoadedObject::load(*object);
    if (loaded.ok()) {
      ++cache().loads;
      return std::make_shared<const CompiledKernel>(spec, loaded.take(), ms_since(start), "");
    }
  }
  std::lock_guard lock(cache().mutex);
  if (cache().absent.size() == kMaxAbsent) cache().absent.clear();
  cache().absent.insert(hash);
  return nullptr;
}

Result<std::unique_ptr<LoadedObject>> compile_code(const KernelSpec& spec) {
  static std::atomic<int> next_name{0};
  std::string error, object, ir, assembly;
  const Backend* backend = load_backend(&error);
  if (!backend) return runtime_error("{}", error);
  std::string name = fmt::format("fused_{}", next_name++);
  BackendRequest request{&spec, name.c_str()};
  if (log_enabled(LogTopic::kIr) || dump_enabled()) request.ir = &ir;
  if (log_enabled(LogTopic::kAsm)) request.asm_text = &assembly;
  auto start = std::chrono::steady_clock::now();
  if (!backend->compile(request, &object, &error))
    return runtime_error("{}", error.empty() ? "unknown failure" : error);
  log_kernel(spec, name, ir, assembly, ms_since(start));
  log_ptx(*backend, spec, name);
  MSJIT_TRY(auto loaded, LoadedObject::load(object));
  if (object_cache_enabled()) object_cache_store(object_cache_key(spec), object);
  return loaded;
}

KernelPtr compile(const KernelSpec& spec) {
  auto start = std::chrono::steady_clock::now();
  auto code = compile_code(spec);
  ++cache().compiles;
  if (code.ok())
    return std::make_shared<const CompiledKernel>(spec, code.take(), ms_since(start), "");
  return std::make_shared<const CompiledKernel>(spec, nullptr, ms_since(start),
                                                code.error().message);
}

}  // namespace

int64_t elements_per_thread(const KernelSpec& spec) {
  const int64_t cost = 1 + static_cast<int64_t>(spec.num_nodes()) / 16;
  return std::max<int64_t>(kElementsPerThread / cost, 1);
}

LaunchRange launch_range(const KernelSpec& spec) {
  LaunchRange range;
  int split = split_dim(spec);
  range.extent = split < 0 ? 1 : spec.dims[split];
  int64_t row = spec.dims.numel() / std::max<int64_t>(range.extent, 1);
  range.grain = std::max<int64_t>(elements_per_thread(spec) / std::max<int64_t>(row, 1), 1);
  if (split == spec.dims.rank() - 1) range.align = 64;  // whole vectors and cache lines
  return range;
}

KernelPtr find_kernel(const KernelSpec& spec) {
  if (const auto observer = g_observer.load(std::memory_order_relaxed)) observer(spec);
  const size_t hash = spec.hash();
  KernelPtr kernel = find(hash, spec);
  if (kernel) return kernel;
  if ((kernel = load_kept(hash, spec))) insert(hash, kernel);
  return kernel;
}

KernelPtr get_kernel(const KernelSpec& spec) {
  if (KernelPtr found = find_kernel(spec)) return found;
  KernelPtr kernel = compile(spec);
  if (!kernel->fn())
    MSJIT_LOGF(LogTopic::kPlan, "a fused loop stays op by op: {}", kernel->error());
  insert(spec.hash(), kernel);
  return kernel;
}

void observe_kernels(void (*observer)(const KernelSpec&)) { g_observer = observer; }

KernelCacheStats kernel_cache_stats() {
  std::lock_guard lock(cache().mutex);
  Cache& all = cache();
  return {static_cast<int64_t>(all.kernels.size()), all.compiles, all.loads, all.hits,
          all.compile_ms};
}

}  // namespace msjit
