// Builds graphs by op name for the codegen tests, and runs them through an Executable and the
// reference evaluator.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "codegen/executable.h"
#include "graph/graph_sink.h"
#include "kernels/core/registry.h"
#include "kernels/eager/tape.h"

namespace msjit::testing {

struct NamedAttr {
  const char* name;
  AttrValue value;
};

class GraphMaker {
 public:
  GraphMaker() : graph_(std::make_shared<Graph>()), sink_(graph_) {}
  Val input(DType dtype, const Shape& shape) { return sink_.input(Meta{dtype, false, shape}); }
  Val number(double v, DType dtype = DType::kFloat64) {
    return sink_.constant(Tensor::scalar_of(dtype, v, true));
  }
  Val constant(Tensor t) { return sink_.constant(std::move(t)); }

  // An invalid Val when there is no such op or it refuses its inputs.
  Val try_call(const char* name, std::vector<Val> in, std::initializer_list<NamedAttr> named = {}) {
    const OpDef* op = find_op(name);
    if (!op) return {};
    Attrs attrs;
    for (const Param& p : op->signature.params) {
      if (p.is_tensor()) continue;
      AttrValue value = p.default_value;
      for (const NamedAttr& n : named)
        if (p.name == n.name) value = n.value;
      attrs.push_back(value);
    }
    auto result = sink_.apply(*op, in, attrs);
    return result.ok() && !result.value().empty() ? result.value()[0] : Val();
  }
  Val call(const char* name, std::vector<Val> in, std::initializer_list<NamedAttr> named = {}) {
    Val v = try_call(name, std::move(in), named);
    EXPECT_TRUE(v) << name;
    return v;
  }
  void output(const Val& v) { graph_->outputs.push_back(v.id()); }
  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  std::shared_ptr<Graph> graph_;
  GraphSink sink_;
};

// Values that exercise signs, halves, zeros, infinities and NaN when `special`.
inline Tensor random_tensor(std::mt19937& rng, DType dtype, const Shape& shape,
                            bool special = false) {
  Tensor t = Tensor::empty(dtype, shape).take();
  std::uniform_real_distribution<double> uniform(-4, 4);
  const double kSpecial[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -1e-30, 0.5};
  for (int64_t i = 0; i < t.numel(); ++i) {
    double v = uniform(rng);
    if (special && rng() % 8 == 0) v = is_float(dtype) ? kSpecial[rng() % 8] : 0;
    dispatch_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, bool>)
        t.data_as<T>()[i] = v > 0;
      else if constexpr (std::is_same_v<T, uint8_t>)
        t.data_as<T>()[i] = static_cast<T>(std::fabs(v) * 20);
      else if constexpr (std::is_integral_v<T>)
        t.data_as<T>()[i] = static_cast<T>(v * 4);
      else
        t.data_as<T>()[i] = T(static_cast<float>(v));
    });
  }
  return t;
}

inline std::vector<Tensor> random_inputs(std::mt19937& rng, const Graph& graph,
                                         bool special = false) {
  std::vector<Tensor> inputs;
  for (ValueId id : graph.inputs)
    inputs.push_back(random_tensor(rng, graph.meta(id).dtype, graph.meta(id).shape, special));
  return inputs;
}

inline Result<std::vector<Tensor>> run(Executable& executable, std::span<const Tensor> inputs,
                                       size_t outputs) {
  std::vector<TensorImpl*> in;
  for (const Tensor& t : inputs) in.push_back(t.impl());
  std::vector<Tensor> out(outputs);
  MSJIT_OK(executable.run(in, out));
  return out;
}

inline std::vector<TensorImpl*> headers(std::span<const Tensor> tensors) {
  std::vector<TensorImpl*> list;
  for (const Tensor& t : tensors) list.push_back(t.impl());
  return list;
}

inline std::vector<Tensor> copies(std::span<const Tensor> tensors, bool tracked = false) {
  std::vector<Tensor> list;
  for (const Tensor& t : tensors) {
    list.push_back(Tensor::empty(t.meta()).take());
    copy_strided(t, list.back());
    if (tracked) set_requires_grad(list.back(), true);
  }
  return list;
}

inline double element(const Tensor& t, int64_t i) {
  double value = 0;
  dispatch_dtype(t.dtype(), [&](auto tag) {
    value = static_cast<double>(t.data_as<typename decltype(tag)::type>()[i]);
  });
  return value;
}

// Bit for bit apart from the payload of NaNs (tolerance 0), or within a relative tolerance.
inline ::testing::AssertionResult same(const Tensor& got, const Tensor& want,
                                       double tolerance = 0) {
  if (!(got.meta().dtype == want.meta().dtype && got.shape() == want.shape()))
    return ::testing::AssertionFailure() << got.meta().str() << " instead of " << want.meta().str();
  Tensor a = got.to_contiguous().take(), b = want.to_contiguous().take();
  int64_t size = item_size(a.dtype());
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (std::memcmp(a.data_as<char>() + i * size, b.data_as<char>() + i * size, size) == 0)
      continue;
    double x = element(a, i), y = element(b, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (tolerance > 0 && std::fabs(x - y) <= tolerance * (1 + std::fabs(y))) continue;
    return ::testing::AssertionFailure() << "element " << i << ": " << x << " instead of " << y;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult same(const std::vector<Tensor>& got,
                                       const std::vector<Tensor>& want, double tolerance = 0) {
  for (size_t i = 0; i < want.size(); ++i)
    if (auto result = same(got[i], want[i], tolerance); !result)
      return result << " in output " << i;
  return ::testing::AssertionSuccess();
}

// Runs a graph op by op and, once compiled, fused; both must agree with the reference evaluator.
inline void check_graph(const Graph& graph, std::span<const Tensor> inputs, double tolerance = 0) {
  auto want = interpret(graph, inputs);
  auto compiled = Executable::compile(graph);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  Executable& executable = *compiled.value();
  if (!want.ok()) {
    executable.wait_compiled();
    auto got = run(executable, inputs, graph.outputs.size());
    // The op that fails may have been dead code, and of several failing ops any may run first.
    if (!got.ok()) {
      EXPECT_NE(got.error().message.find("not supported"), std::string::npos);
    }
    return;
  }
  auto first = run(executable, inputs, graph.outputs.size());
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_TRUE(same(first.value(), want.value(), tolerance))
      << executable.describe() << print(graph);
  executable.wait_compiled();
  EXPECT_EQ(executable.tier(), 1) << executable.describe();
  auto second = run(executable, inputs, graph.outputs.size());
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_TRUE(same(second.value(), want.value(), tolerance))
      << executable.describe() << print(graph);
}

inline void check(GraphMaker& maker, double tolerance = 0, bool special = false,
                  uint32_t seed = 1) {
  std::mt19937 rng(seed);
  std::vector<Tensor> inputs = random_inputs(rng, *maker.graph(), special);
  check_graph(*maker.graph(), inputs, tolerance);
}

}  // namespace msjit::testing
