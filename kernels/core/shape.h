// Dim, Shape and Meta: what is known of a tensor without its data. A Shape holds up to kMaxRank
// dimensions inline, so copying one never allocates. Rules that compare dimensions do it through
// InferCtx (op.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "kernels/core/device.h"
#include "kernels/core/dtype.h"

namespace msjit {

using Dim = int64_t;
inline constexpr int kMaxRank = 8;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Dim> dims) {
    for (Dim d : dims) push_back(d);
  }
  explicit Shape(std::span<const Dim> dims) {
    for (Dim d : dims) push_back(d);
  }
  int rank() const { return rank_; }
  Dim operator[](int i) const { return dims_[i]; }
  Dim& operator[](int i) { return dims_[i]; }
  Dim back() const { return dims_[rank_ - 1]; }
  const Dim* begin() const { return dims_; }
  const Dim* end() const { return dims_ + rank_; }
  Dim* begin() { return dims_; }
  Dim* end() { return dims_ + rank_; }
  const Dim* data() const { return dims_; }
  operator std::span<const Dim>() const { return {dims_, static_cast<size_t>(rank_)}; }
  // The caller has checked rank() < kMaxRank.
  void push_back(Dim d) { dims_[rank_++] = d; }
  void insert(int at, Dim d);
  void erase(int at);
  void set_rank(int rank) { rank_ = rank; }  // new dims are indeterminate
  // Number of elements; shapes of live tensors never overflow (checked_numel guards their
  // creation).
  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i)
      if (a.dims_[i] != b.dims_[i]) return false;
    return true;
  }
  std::string str() const;  // "(2, 3)" as Python prints a tuple

 private:
  Dim dims_[kMaxRank];
  int32_t rank_ = 0;
};

// Product of dims, or -1 when it (or its byte size at 8 bytes per element) overflows int64.
int64_t checked_numel(const Shape& shape);

// Strides in elements of a row-major contiguous tensor.
Shape contiguous_strides(const Shape& shape);

struct Meta {
  DType dtype = DType::kFloat32;
  bool weak = false;  // stems from a Python scalar: lifts the kind in promotion, never the width
  Device device;
  Shape shape;
  Meta() = default;
  Meta(DType dtype, bool weak, const Shape& shape, Device device = {})
      : dtype(dtype), weak(weak), device(device), shape(shape) {}
  // The same meta, not weak.
  Meta strong() const { return Meta(dtype, false, shape, device); }
  // Equal except for the sizes.
  bool same_kind(const Meta& other) const {
    return dtype == other.dtype && weak == other.weak && device == other.device &&
           shape.rank() == other.shape.rank();
  }
  friend bool operator==(const Meta& a, const Meta& b) {
    return a.dtype == b.dtype && a.weak == b.weak && a.device == b.device && a.shape == b.shape;
  }
  std::string str() const;  // "float32[2, 3]"
};

}  // namespace msjit
