// Helpers for operator tests: making tensors, running an op by name, comparing values, and checking
// gradients of first and second order against finite differences in float64.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/core/op.h"
#include "kernels/eager/eager_sink.h"

namespace msjit::op_test {

using Doubles = std::vector<double>;

Tensor make(const Shape& shape, const Doubles& values, DType dtype = DType::kFloat32);
Tensor iota(const Shape& shape, DType dtype = DType::kFloat32);
// Reproducible values in [low, high).
Tensor random(const Shape& shape, DType dtype = DType::kFloat32, double low = -1, double high = 1);
Tensor as(const Tensor& t, DType dtype);
Doubles values_of(const Tensor& t);
bool close(const Tensor& a, const Tensor& b, double tolerance = 1e-5);

const OpDef& op(const std::string& name);
std::vector<Tensor> run_all(const std::string& name, std::vector<Tensor> in, Attrs attrs = {});
Tensor run(const std::string& name, std::vector<Tensor> in, Attrs attrs = {});
// The message of a call that must fail, its kind in front: "ValueError: [op] ...".
std::string error_of(const std::string& name, std::vector<Tensor> in, Attrs attrs = {});

// Compares the gradients of a weighted sum of the op's float outputs, in every float64 input, with
// differences; with `second` also those of a weighted sum of the first gradients.
void check_gradients(const std::string& name, std::vector<Tensor> in, Attrs attrs = {},
                     bool second = true);

inline AttrValue ints(std::initializer_list<int64_t> values) { return AttrValue(IntList(values)); }

}  // namespace msjit::op_test
