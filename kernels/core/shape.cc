#include "kernels/core/shape.h"

#include <fmt/format.h>

namespace msjit {

void Shape::insert(int at, Dim d) {
  for (int i = rank_; i > at; --i) dims_[i] = dims_[i - 1];
  dims_[at] = d;
  ++rank_;
}

void Shape::erase(int at) {
  for (int i = at; i + 1 < rank_; ++i) dims_[i] = dims_[i + 1];
  --rank_;
}

std::string Shape::str() const {
  if (rank_ == 1) return fmt::format("({},)", dims_[0]);
  return fmt::format("({})", fmt::join(begin(), end(), ", "));
}

int64_t checked_numel(const Shape& shape) {
  // A zero makes the product zero, but the product of the other factors must not overflow either.
  int64_t product = 1;
  bool empty = false;
  for (Dim d : shape) {
    if (d < 0) return -1;
    if (d == 0) {
      empty = true;
      continue;
    }
    if (__builtin_mul_overflow(product, d, &product)) return -1;
  }
  int64_t bytes;
  if (__builtin_mul_overflow(product, int64_t{8}, &bytes)) return -1;
  return empty ? 0 : product;
}

Shape contiguous_strides(const Shape& shape) {
  Shape strides;
  strides.set_rank(shape.rank());
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

std::string Meta::str() const {
  return fmt::format("{}[{}]", dtype_name(dtype), fmt::join(shape.begin(), shape.end(), ", "));
}

}  // namespace msjit
