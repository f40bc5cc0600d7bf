#include "kernels/op_test.h"

#include <cmath>

#include "kernels/core/registry.h"
#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"
#include "kernels/eager/tape.h"

namespace msjit::op_test {

Tensor as(const Tensor& t, DType dtype) { return layout::cast_to(t, dtype).take(); }

Tensor make(const Shape& shape, const Doubles& values, DType dtype) {
  Tensor wide = Tensor::empty(DType::kFloat64, shape).take();
  EXPECT_EQ(static_cast<int64_t>(values.size()), shape.numel());
  std::copy(values.begin(), values.end(), wide.data_as<double>());
  return as(wide, dtype);
}

Tensor iota(const Shape& shape, DType dtype) {
  Doubles values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return make(shape, values, dtype);
}

Tensor random(const Shape& shape, DType dtype, double low, double high) {
  static uint64_t state = 0x853c49e6748fea9bu;
  Doubles values(shape.numel());
  for (double& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = low + (high - low) * static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  }
  return make(shape, values, dtype);
}

Doubles values_of(const Tensor& t) {
  Tensor wide = as(t, DType::kFloat64).to_contiguous().take();
  return Doubles(wide.data_as<double>(), wide.data_as<double>() + wide.numel());
}

bool close(const Tensor& a, const Tensor& b, double tolerance) {
  if (!(a.shape() == b.shape())) {
    ADD_FAILURE() << "shapes " << a.shape().str() << " and " << b.shape().str();
    return false;
  }
  Doubles x = values_of(a), y = values_of(b);
  for (size_t i = 0; i < x.size(); ++i) {
    double allowed = tolerance * std::max(1.0, std::max(std::abs(x[i]), std::abs(y[i])));
    if (std::abs(x[i] - y[i]) <= allowed || x[i] == y[i]) continue;
    ADD_FAILURE() << "element " << i << ": " << x[i] << " and " << y[i];
    return false;
  }
  return true;
}

const OpDef& op(const std::string& name) {
  const OpDef* found = find_op(name);
  if (!found) {
    ADD_FAILURE() << "no op " << name;
    std::abort();
  }
  return *found;
}

// Trailing attributes take their defaults from the signature.
static Attrs with_defaults(const OpDef& def, Attrs attrs) {
  uint32_t next = 0;
  for (const Param& param : def.signature.params) {
    if (param.is_tensor()) continue;
    if (next++ < attrs.size()) continue;
    EXPECT_TRUE(param.has_default) << def.name << " " << param.name;
    attrs.push_back(param.default_value);
  }
  return attrs;
}

static Status call_op(const std::string& name, const std::vector<Tensor>& in, const Attrs& attrs,
                      TensorVec* out) {
  const OpDef& def = op(name);
  return run_op(def, in, with_defaults(def, attrs), out);
}

std::vector<Tensor> run_all(const std::string& name, std::vector<Tensor> in, Attrs attrs) {
  TensorVec out;
  Status status = call_op(name, in, attrs, &out);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return std::vector<Tensor>(out.begin(), out.end());
}

Tensor run(const std::string& name, std::vector<Tensor> in, Attrs attrs) {
  std::vector<Tensor> out = run_all(name, std::move(in), std::move(attrs));
  return out.empty() ? Tensor() : out[0];
}

std::string error_of(const std::string& name, std::vector<Tensor> in, Attrs attrs) {
  TensorVec out;
  Status status = call_op(name, in, attrs, &out);
  if (status.ok()) return "no error";
  static constexpr const char* kKinds[] = {"TypeError",      "ValueError",    "IndexError",
                                           "MemoryError",    "OverflowError", "ZeroDivisionError",
                                           "NotImplemented", "RuntimeError",  "InternalError"};
  return std::string(kKinds[static_cast<int>(status.error().kind)]) + ": " + status.error().message;
}

namespace {

// Weights that make every element of an output count differently.
Tensor weights(const Shape& shape, size_t salt) {
  Doubles values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(1.0 + 1.7 * static_cast<double>(i + 13 * salt));
  return make(shape, values, DType::kFloat64);
}

bool counts(const Tensor& t) { return t && t.dtype() == DType::kFloat64; }

Val weighted_sum(const std::vector<Tensor>& tensors, size_t salt) {
  EagerSink& sink = eager_sink();
  Val total;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!counts(tensors[i])) continue;
    Val term = words::sum(
        words::mul(Val(&sink, tensors[i]), Val(&sink, weights(tensors[i].shape(), salt + i))));
    total = total ? words::add(total, term) : term;
  }
  return total;
}

struct Checker {
  std::string name;
  Attrs attrs;
  bool first_gradients = false;  // the function is a weighted sum of the op's gradients

  std::vector<Tensor> leaves(const std::vector<Tensor>& in) const {
    std::vector<Tensor> fresh;
    for (const Tensor& t : in) {
      fresh.push_back(t ? t.detach() : t);
      if (counts(t)) set_requires_grad(fresh.back(), true);
    }
    return fresh;
  }
  std::vector<Tensor> tracked(const std::vector<Tensor>& in) const {
    std::vector<Tensor> wrt;
    for (const Tensor& t : in)
      if (counts(t)) wrt.push_back(t);
    return wrt;
  }
  // The scalar function of the leaves.
  Tensor value(const std::vector<Tensor>& in) const {
    Val sum = weighted_sum(run_all(name, in, attrs), 0);
    if (first_gradients) {
      Tensor total = sum.tensor();
      auto grads = gradients({&total, 1}, {}, tracked(in), true);
      EXPECT_TRUE(grads.ok()) << (grads.ok() ? "" : grads.error().message);
      if (!grads.ok()) return Tensor();
      sum = weighted_sum(grads.value(), 5);
    }
    Status status = eager_sink().take_error();
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    return status.ok() ? sum.tensor() : Tensor();
  }
  double at(const std::vector<Tensor>& in) const {
    Tensor result = value(leaves(in));
    return result ? *result.data_as<double>() : 0.0;
  }

  void check(const std::vector<Tensor>& in) const {
    std::vector<Tensor> points = leaves(in), wrt = tracked(points);
    Tensor total = value(points);
    ASSERT_TRUE(total);
    auto grads = gradients({&total, 1}, {}, wrt, false);
    ASSERT_TRUE(grads.ok()) << (grads.ok() ? "" : grads.error().message);
    size_t next = 0;
    for (size_t k = 0; k < in.size(); ++k)
      if (counts(in[k])) compare(in, k, grads.value()[next++]);
  }
  void compare(const std::vector<Tensor>& in, size_t k, const Tensor& grad) const {
    ASSERT_TRUE(grad.shape() == in[k].shape()) << name << " input " << k;
    Doubles analytic = values_of(grad), base = values_of(in[k]);
    constexpr double kStep = 1e-5;
    for (size_t i = 0; i < base.size(); ++i) {
      double sides[2];
      for (int s = 0; s < 2; ++s) {
        Doubles moved = base;
        moved[i] += s ? kStep : -kStep;
        std::vector<Tensor> points = in;
        points[k] = make(in[k].shape(), moved, DType::kFloat64);
        sides[s] = at(points);
      }
      double numeric = (sides[1] - sides[0]) / (2 * kStep);
      ASSERT_NEAR(analytic[i], numeric, 2e-5 * std::max(1.0, std::abs(numeric)))
          << name << (first_gradients ? " second order" : "") << " input " << k << " element " << i;
    }
  }
};

}  // namespace

void check_gradients(const std::string& name, std::vector<Tensor> in, Attrs attrs, bool second) {
  Checker checker{name, std::move(attrs)};
  checker.check(in);
  if (!second) return;
  checker.first_gradients = true;
  checker.check(in);
}

}  // namespace msjit::op_test
