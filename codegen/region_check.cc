#include "codegen/region_check.h"

#include <cmath>

#include "kernels/eager/tape.h"

namespace msjit {
namespace {

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return 1e-9;
    case DType::kFloat32: return 1e-4;
    case DType::kFloat16: return 1e-2;
    case DType::kBFloat16: return 5e-2;
    default: return 0;
  }
}

// The largest difference beyond the tolerance, relative to the largest number; 0: they agree.
template <class T>
double gap(const T* a, const T* b, int64_t count, double allowed) {
  double scale = 0, worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(b[i]);
    if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
  }
  for (int64_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference =
        std::isfinite(x - y) ? std::abs(x - y) / std::max(scale, 1e-30) : 1e30;
    if (difference > allowed) worst = std::max(worst, difference);
  }
  return worst;
}

Status compare(const Graph& graph, size_t index, const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || !(got.shape() == expected.shape()))
    return internal_error("[check] output {} of {}, got {}, expected {}", index, graph.name,
                          got.meta().str(), expected.meta().str());
  MSJIT_TRY(Tensor a, got.to_contiguous());
  MSJIT_TRY(Tensor b, expected.to_contiguous());
  double worst = 0;
  dispatch_dtype(got.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    worst = gap(static_cast<const T*>(a.data()), static_cast<const T*>(b.data()), a.numel(),
                tolerance(got.dtype()));
  });
  if (worst == 0) return {};
  return internal_error(
      "[check] output {} of {}, got values off by {:.3g} of the largest, expected {}", index,
      graph.name, worst, "those of the eager kernels");
}

}  // namespace

Status compare_with_eager(const Graph& graph, std::span<TensorImpl* const> inputs,
                          std::span<const Tensor> outputs, RandomState random) {
  const GradScope untracked(false);
  std::vector<Tensor> arguments;
  for (const Tensor& input : borrow(inputs)) arguments.push_back(input.detach());
  const RandomState now = random_state();
  set_random_state(random);
  auto expected = interpret(graph, arguments);
  set_random_state(now);
  if (!expected.ok()) return expected.take_error();
  for (size_t i = 0; i < outputs.size(); ++i)
    MSJIT_OK(compare(graph, i, outputs[i], expected.value()[i]));
  return {};
}

}  // namespace msjit
