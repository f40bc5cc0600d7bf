// The interface to oneDNN: float32 kernels, and products and convolutions of 16-bit floats. They
// work on row-major memory; images may also lie channels last. Primitives are built once per
// problem and kept in a table of the calling thread. oneDNN chooses blocked layouts where they pay.
// These stay inside, in temporary memory of the caching allocator. Sizes are never zero here.
#pragma once

#include "kernels/core/tensor.h"

namespace msjit::onednn {

// -- Matrix product

// A stack of matrices; `batch` 1 broadcasts. One of row_stride and col_stride is 1.
struct Matrices {
  const void* data;
  int64_t batch, rows, cols;
  int64_t batch_stride, row_stride, col_stride;
};

// out = a b + bias, contiguous. bias has b.cols elements of bias_dtype(), or is null. `weight` is
// the tensor whose bytes `b` reads, if these may be kept in another layout (packed.h); else null.
Status matmul(DType dtype, const Matrices& a, const Matrices& b, const void* bias, void* out,
              const Tensor* weight = nullptr);
bool multiplies(DType dtype);  // whether matmul() takes the dtype on this machine
// With a float16 bias oneDNN would use its reference kernel, a thousand times as slow.
inline DType bias_dtype(DType dtype) { return dtype == DType::kFloat16 ? DType::kFloat32 : dtype; }

// rows x inner numbers of 8 bits, contiguous, times the transpose of an int8 weight (cols, inner).
struct Int8Product {
  int64_t rows, inner, cols;
  bool is_unsigned;  // the left side; the weight is not
};
// out = scale * (a weight^T) + bias, contiguous. `scale` and `bias` have one element per column;
// `bias` may be null. The integers are summed exactly.
Status int8_matmul(const Int8Product& p, const void* a, const Tensor& weight, const float* scale,
                   const float* bias, float* out);
bool multiplies_int8();  // whether this machine has instructions for it

// -- Windows

// A 2-D convolution or pooling problem: NCHW input, weight (out_channels, in_channels / groups,
// kernel).
struct Window2d {
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[2], out[2], kernel[2], stride[2], dilation[2];
  int64_t pad_begin[2], pad_end[2];
};
// A batch of images: each C, H, W in memory, or H, W, C.
struct Images {
  const void* data;
  bool channels_last = false;
};
struct ImagesOut {
  void* data;
  bool channels_last = false;
};
// Whether convolutions on this machine are fastest with the channels last.
bool prefers_channels_last();
bool convolves(DType dtype);  // whether conv_forward() takes the dtype on this machine
bool has_conv_grads(const Window2d& w, DType dtype);
// Images have the dtype of the weight; convolves() must accept it.
Status conv_forward(const Window2d& w, Images x, const Tensor& weight, const float* bias,
                    ImagesOut y);
// y = scale * (x * weight) + bias, of int8 or uint8 images and an int8 weight. `scale` has one
// element per output channel, and so has `bias`, which may be null. The integers are summed exactly
// if multiplies_int8(). On other machines pairs of products are added in 16 bits, which may
// overflow.
Status int8_conv(const Window2d& w, bool is_unsigned, Images x, const Tensor& weight,
                 const float* scale, const float* bias, ImagesOut y);
// For problems that has_conv_grads() accepts; `dtype` is that of the images and the weight.
Status conv_input_grad(const Window2d& w, DType dtype, Images dy, const void* weight, ImagesOut dx);
Status conv_weight_grad(const Window2d& w, DType dtype, Images x, Images dy, float* dweight);

enum class Pool : uint8_t { kMax, kAverage, kAverageWithPadding };
// All images of one problem have the same order.
Status pool_forward(const Window2d& w, Pool kind, Images x, float* y);
// Each dy goes to the first maximum of its window of x.
Status max_pool_grad(const Window2d& w, Images x, const float* dy, float* dx);
Status average_pool_grad(const Window2d& w, Pool kind, Images dy, float* dx);

// -- Normalisation

struct BatchNorm {
  int64_t batch, channels, inner;
  float epsilon;
  bool training;  // mean and variance are outputs; else inputs
};
Status batch_norm(const BatchNorm& p, const float* x, const float* scale, const float* shift,
                  float* mean, float* variance, float* y);
Status batch_norm_grad(const BatchNorm& p, const float* x, const float* scale, const float* mean,
                       const float* variance, const float* dy, float* dx, float* dscale,
                       float* dshift);

// Number of primitives that the calling thread keeps, for tests and stats.
int64_t cached_primitives();

}  // namespace msjit::onednn
