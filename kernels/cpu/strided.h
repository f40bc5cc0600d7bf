// Walks tensors of any layout. StridedLoop merges dimensions that all operands step through as one.
// It then visits the elements in row-major order of the common shape, one inner run at a time, from
// any start. convert_run converts between element types.
#pragma once

#include "kernels/core/tensor.h"

namespace msjit {

inline constexpr int kMaxOperands = 4;

// Reads n elements of dtype `from` and writes them as dtype `to`, each at a stride in elements.
using ConvertFn = void (*)(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                           int64_t n);
ConvertFn convert_fn(DType from, DType to);

// Row-major iteration space shared by up to four operands; strides are in bytes.
class StridedLoop {
 public:
  explicit StridedLoop(const Shape& shape);
  // Adds an operand that broadcasts to the shape. Returns its index.
  int add_operand(const void* data, const Shape& shape, const Shape& strides, int64_t item_size);
  int add_operand(const Tensor& t) {
    return add_operand(t.data(), t.shape(), t.strides(), item_size(t.dtype()));
  }
  // Drops dimensions of size one and merges those that all operands cross with one stride. Call it
  // once, after the last add_operand().
  void coalesce();

  int64_t numel() const { return numel_; }
  int rank() const { return rank_; }
  int64_t inner_size() const { return rank_ == 0 ? 1 : dims_[rank_ - 1]; }
  int64_t inner_stride(int operand) const { return rank_ == 0 ? 0 : strides_[operand][rank_ - 1]; }

  // A position in the iteration space.
  class Cursor {
   public:
    Cursor(const StridedLoop& loop, int64_t start);
    // Elements left in the current inner run.
    int64_t run() const {
      return loop_.inner_size() - index_[loop_.rank_ == 0 ? 0 : loop_.rank_ - 1];
    }
    char* pointer(int operand) const { return pointers_[operand]; }
    void advance(int64_t n);  // n <= run()

   private:
    const StridedLoop& loop_;
    int64_t index_[kMaxRank] = {};
    char* pointers_[kMaxOperands];
  };

 private:
  int rank_;
  int num_operands_ = 0;
  int64_t numel_;
  int64_t dims_[kMaxRank];
  int64_t strides_[kMaxOperands][kMaxRank];
  char* data_[kMaxOperands];
};

// Writes `from` into `to`, converting the element type; equal shapes, any layouts.
void convert_copy(const Tensor& from, const Tensor& to);

}  // namespace msjit
