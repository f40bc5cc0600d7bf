#include "device/kernel_run.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>

#include "codegen/backend.h"
#include "codegen/device_kernel.h"
#include "codegen/graph_maker.h"
#include "codegen/kernel_cache.h"
#include "codegen/object_loader.h"
#include "device/block_emulator.h"

namespace msjit::testing {
namespace {

constexpr int64_t kMostPoints = 100000;  // more take too long one by one
constexpr int64_t kMargin = 16;          // elements around an operand, which nobody may write

std::mutex g_mutex;
std::vector<SpecCollector*> g_collectors;

EmulatedFn emulated_fn(const LoadedObject& object) {
  return reinterpret_cast<EmulatedFn>(reinterpret_cast<void*>(object.fn()));
}

// A spec with sizes: a closed one's own, or an open one's drawn at random.
struct Sized {
  Shape dims;
  std::vector<Shape> strides;
  int64_t total = 0;  // of an uneven dim
  std::vector<int64_t> numbers;
};

Dim draw_extent(const KernelSpec& spec, int dim, std::mt19937& rng) {
  const Dim few[] = {1, 2, 3, 5, 8, 17};
  const Dim many[] = {1, 4, 7, 31, 32, 64, 100, 260};
  const bool inner = dim == spec.dims.rank() - 1;
  if (inner && spec.is_reduced(dim) && spec.long_sums && rng() % 2) return 9000 + rng() % 3;
  return inner ? many[rng() % 8] : few[rng() % 6];
}

// Row by row over the dims along which it changes.
Shape draw_strides(const Shape& dims, const Shape& pattern) {
  Shape strides = pattern;
  int64_t next = 1;
  for (int d = dims.rank() - 1; d >= 0; --d) {
    if (pattern[d] == 0) continue;
    if (pattern[d] != 1 && d == dims.rank() - 1) next = 2;
    strides[d] = next;
    next *= dims[d];
  }
  return strides;
}

Sized draw_sizes(const KernelSpec& spec, std::mt19937& rng) {
  Sized sized{spec.dims, {}, spec.uneven_total, {}};
  if (spec.open)
    for (int d = 0; d < spec.dims.rank(); ++d) sized.dims[d] = draw_extent(spec, d, rng);
  if (spec.open && spec.uneven >= 0) {
    const int64_t block = sized.dims[spec.uneven];
    sized.total = sized.dims[0] * block - static_cast<int64_t>(rng() % block);
  }
  sized.numbers.assign(sized.dims.begin(), sized.dims.end());
  for (const KernelOperand& operand : spec.operands) {
    const Shape& own = operand.strides;
    sized.strides.push_back(spec.open ? draw_strides(sized.dims, own) : own);
    for (Dim d : sized.strides.back()) sized.numbers.push_back(d);
  }
  if (spec.uneven >= 0) sized.numbers.push_back(sized.total);
  return sized;
}

int64_t elements_of(const Shape& dims, const Shape& strides) {
  int64_t last = 0;
  for (int d = 0; d < dims.rank(); ++d) last += (dims[d] - 1) * strides[d];
  return last + 1;
}

// The tolerance of reductions in another order, relative to the largest element. Partial sums of
// float32 are passed on as float64.
double tolerance_of(const KernelSpec& spec, DType dtype) {
  for (const KernelStage& stage : spec.stages)
    for (const KernelReduce& reduce : stage.reduces)
      if (stage.body[static_cast<size_t>(reduce.node)].dtype != DType::kFloat64 &&
          dtype == DType::kFloat64)
        return 1e-4;
  switch (dtype) {
    case DType::kFloat64: return 1e-9;
    case DType::kFloat16: return 4e-3;
    case DType::kBFloat16: return 3e-2;
    default: return 1e-4;
  }
}

bool multiplies(const KernelSpec& spec) {
  for (const KernelStage& stage : spec.stages)
    for (const KernelReduce& reduce : stage.reduces)
      if (reduce.kind == ReduceKind::kProd) return true;
  return false;
}

::testing::AssertionResult close_enough(const KernelSpec& spec, const Tensor& got,
                                        const Tensor& want) {
  double scale = 1;
  for (int64_t i = 0; i < want.numel(); ++i)
    if (std::isfinite(element(want, i))) scale = std::max(scale, std::fabs(element(want, i)));
  for (int64_t i = 0; i < want.numel(); ++i) {
    const double x = element(got, i), y = element(want, i);
    if ((std::isnan(x) && std::isnan(y)) || x == y) continue;
    // A partial product may overflow in one order and not in the other. The host's order depends on
    // the width of its vectors.
    if (multiplies(spec) && !(std::isfinite(x) && std::isfinite(y))) continue;
    if (!is_float(want.dtype()) || !(std::fabs(x - y) <= tolerance_of(spec, want.dtype()) * scale))
      return ::testing::AssertionFailure() << "element " << i << ": " << x << " instead of " << y;
  }
  return ::testing::AssertionSuccess();
}

class KernelRun {
 public:
  KernelRun(const KernelSpec& spec, uint32_t seed) : spec_(spec), rng_(seed) {
    sized_ = draw_sizes(spec, rng_);
    // Operands may start at any element, unless stores go past the caches.
    const bool streams = std::ranges::any_of(spec.operands, &KernelOperand::streams);
    skip_ = streams || seed % 2 ? kMargin : kMargin + 1;
  }

  bool is_too_large() const { return sized_.dims.numel() > kMostPoints; }

  ::testing::AssertionResult run() {
    for (size_t i = 0; i < spec_.operands.size(); ++i) {
      const DType dtype = spec_.operands[i].dtype;
      const int64_t size = elements_of(sized_.dims, sized_.strides[i]) + 2 * kMargin + 1;
      host_.push_back(random_tensor(rng_, dtype, {size}, !spec_.has_reduces()));
    }
    device_ = copies(host_);
    if (auto done = on_host(); !done) return done;
    if (auto done = on_device(); !done) return done;
    for (size_t i = 0; i < host_.size(); ++i) {
      auto result = spec_.has_reduces() ? close_enough(spec_, device_[i], host_[i])
                                        : same(device_[i], host_[i]);
      if (!result) return result << " in operand " << i;
    }
    return ::testing::AssertionSuccess();
  }

 private:
  void* start(const Tensor& tensor) const {
    return tensor.data_as<char>() + skip_ * item_size(tensor.dtype());
  }

  ::testing::AssertionResult on_host() {
    const KernelPtr kernel = get_kernel(spec_);
    if (!kernel->fn()) return ::testing::AssertionFailure() << kernel->error();
    std::vector<void*> pointers;
    for (const Tensor& t : host_) pointers.push_back(start(t));
    if (spec_.open) pointers.push_back(sized_.numbers.data());
    const int split = split_dim(spec_);
    kernel->fn()(pointers.data(), 0, split < 0 ? 1 : sized_.dims[split]);
    return ::testing::AssertionSuccess();
  }

  ::testing::AssertionResult on_device() {
    std::string error, object;
    const Backend* backend = load_backend(&error);
    if (!backend || !backend->compile_emulated({&spec_, "device"}, &object, &error))
      return ::testing::AssertionFailure() << error;
    auto loaded = LoadedObject::load(object);
    if (!loaded.ok()) return ::testing::AssertionFailure() << loaded.error().message;
    std::vector<void*> pointers, parameters;
    for (const Tensor& t : device_) pointers.push_back(start(t));
    for (void*& p : pointers) parameters.push_back(&p);
    if (spec_.open)
      for (int64_t& n : sized_.numbers) parameters.push_back(&n);
    const int64_t blocks = device_blocks(spec_, std::span<const Dim>(sized_.dims));
    // Fewer blocks than there is work for: they must come back for the rest.
    const int count = static_cast<int>(std::min<int64_t>(blocks, 1 + rng_() % 3));
    error =
        run_emulated(emulated_fn(*loaded.value()), parameters.data(), count, spec_.has_reduces());
    if (!error.empty()) return ::testing::AssertionFailure() << error;
    return ::testing::AssertionSuccess();
  }

  const KernelSpec& spec_;
  std::mt19937 rng_;
  Sized sized_;
  int64_t skip_;
  std::vector<Tensor> host_, device_;
};

}  // namespace

SpecCollector::SpecCollector() {
  std::lock_guard lock(g_mutex);
  g_collectors.push_back(this);
  observe_kernels([](const KernelSpec& spec) {
    std::lock_guard inside(g_mutex);
    for (SpecCollector* collector : g_collectors)
      if (collector->hashes_.insert(spec.hash()).second) collector->specs_.push_back(spec);
  });
}

SpecCollector::~SpecCollector() {
  std::lock_guard lock(g_mutex);
  std::erase(g_collectors, this);
  if (g_collectors.empty()) observe_kernels(nullptr);
}

std::vector<KernelSpec> SpecCollector::take() {
  std::lock_guard lock(g_mutex);
  hashes_.clear();
  return std::exchange(specs_, {});
}

::testing::AssertionResult agrees_with_host(const KernelSpec& spec, uint32_t seed) {
  KernelRun run(spec, seed);
  if (run.is_too_large()) return ::testing::AssertionSuccess();
  return run.run() << " (" << spec.str() << ", seed " << seed << ")";
}

}  // namespace msjit::testing
