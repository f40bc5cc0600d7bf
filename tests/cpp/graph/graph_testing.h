// Shared helpers of the graph and tape tests: small tensors, closeness, finite differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "graph/graph_sink.h"
#include "kernels/core/words.h"
#include "kernels/eager/eager_sink.h"
#include "kernels/eager/tape.h"

namespace msjit::testing_util {

inline Tensor make(const Shape& shape, std::vector<double> values, DType dtype = DType::kFloat64) {
  Tensor t = Tensor::empty(dtype, shape).take();
  dispatch_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < t.numel(); ++i)
      t.data_as<T>()[i] = static_cast<T>(static_cast<float>(values[i % values.size()]));
    if constexpr (std::is_same_v<T, double>)
      for (int64_t i = 0; i < t.numel(); ++i) t.data_as<T>()[i] = values[i % values.size()];
  });
  return t;
}

inline Tensor random_tensor(std::mt19937& rng, const Shape& shape, DType dtype = DType::kFloat64,
                            double low = 0.25, double high = 1.75) {
  std::uniform_real_distribution<double> dist(low, high);
  std::vector<double> values(std::max<int64_t>(1, shape.numel()));
  for (double& v : values) v = dist(rng);
  return make(shape, values, dtype);
}

inline std::vector<double> values_of(const Tensor& tensor) {
  Tensor t = tensor.to_contiguous().take();
  std::vector<double> out;
  dispatch_dtype(t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < t.numel(); ++i) out.push_back(static_cast<double>(t.data_as<T>()[i]));
  });
  return out;
}

inline void expect_close(const Tensor& got, const Tensor& want, double tolerance = 1e-6) {
  ASSERT_TRUE(got && want);
  EXPECT_EQ(got.meta().str(), want.meta().str());
  std::vector<double> a = values_of(got), b = values_of(want);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i]) || std::isinf(b[i])) {
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
      continue;
    }
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::fabs(b[i]))) << "element " << i;
  }
}

// A program written once with Vals; it runs in the sink its arguments live in.
using Program = std::function<Val(OpSink*, const Vals&)>;

inline Tensor run_eager(const Program& program, std::span<const Tensor> inputs) {
  EagerSink& sink = eager_sink();
  Vals args;
  for (const Tensor& t : inputs) args.emplace_back(&sink, t);
  Val out = program(&sink, args);
  Status status = sink.take_error();
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return out.tensor();
}

inline std::shared_ptr<Graph> build_graph(const Program& program, std::span<const Tensor> inputs) {
  auto graph = std::make_shared<Graph>();
  graph->name = "program";
  GraphSink sink(graph);
  Vals args;
  for (const Tensor& t : inputs) args.push_back(sink.input(t.meta()));
  Val out = program(&sink, args);
  Status status = sink.take_error();
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  graph->outputs = {out.id()};
  return graph;
}

// d sum(program) / d inputs[which], by central differences.
inline Tensor numeric_gradient(const Program& program, std::vector<Tensor> inputs, size_t which,
                               double step = 1e-5) {
  GradScope untracked(false);
  Tensor base = inputs[which].to_contiguous().take();
  std::vector<double> slopes;
  for (int64_t i = 0; i < base.numel(); ++i) {
    double sums[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
      std::vector<double> moved = values_of(base);
      moved[i] += side ? step : -step;
      inputs[which] = make(base.shape(), moved);
      for (double v : values_of(run_eager(program, inputs))) sums[side] += v;
    }
    slopes.push_back((sums[1] - sums[0]) / (2 * step));
  }
  if (slopes.empty()) slopes.push_back(0);
  return make(base.shape(), slopes);
}

}  // namespace msjit::testing_util
