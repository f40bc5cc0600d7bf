#include "kernels/cpu/conv.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/matmul.h"

namespace msjit::convolution {
namespace {

using onednn::Window2d;

struct Patch {
  int64_t channels, rows, cols;  // of one group: input channels, rows x cols of the unfolded matrix
};
Patch patch_of(const Window2d& w) {
  int64_t channels = w.in_channels / w.groups;
  return {channels, channels * w.kernel[0] * w.kernel[1], w.out[0] * w.out[1]};
}

// Calls f(index into the unfolded matrix, offset into one group's image) for each pair that is not
// padding.
template <class F>
void walk_patches(const Window2d& w, int64_t channels, F&& f) {
  int64_t at = 0;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t kh = 0; kh < w.kernel[0]; ++kh)
      for (int64_t kw = 0; kw < w.kernel[1]; ++kw)
        for (int64_t oh = 0; oh < w.out[0]; ++oh) {
          int64_t h = oh * w.stride[0] - w.pad_begin[0] + kh * w.dilation[0];
          bool inside = h >= 0 && h < w.in[0];
          for (int64_t ow = 0; ow < w.out[1]; ++ow, ++at) {
            int64_t x = ow * w.stride[1] - w.pad_begin[1] + kw * w.dilation[1];
            if (inside && x >= 0 && x < w.in[1]) f(at, (c * w.in[0] + h) * w.in[1] + x);
          }
        }
}

std::unique_ptr<double[]> unfold(const Window2d& w, const Patch& patch, const double* image) {
  auto cols = std::make_unique<double[]>(patch.rows * patch.cols);
  walk_patches(w, patch.channels, [&](int64_t to, int64_t from) { cols[to] = image[from]; });
  return cols;
}

// Calls f(group, image of the input, image of the output) for each image and group.
template <class F>
void each_group(const Window2d& w, F&& f) {
  int64_t in = w.in_channels / w.groups * w.in[0] * w.in[1];
  int64_t out = w.out_channels / w.groups * w.out[0] * w.out[1];
  for (int64_t n = 0; n < w.batch; ++n)
    for (int64_t g = 0; g < w.groups; ++g) f(g, (n * w.groups + g) * in, (n * w.groups + g) * out);
}

void forward_f64(const Window2d& w, const double* x, const double* weight, const double* bias,
                 double* y) {
  Patch patch = patch_of(w);
  int64_t out = w.out_channels / w.groups;
  each_group(w, [&](int64_t g, int64_t x_at, int64_t y_at) {
    auto cols = unfold(w, patch, x + x_at);
    gemm::multiply(DType::kFloat64, out, patch.cols, patch.rows,
                   {weight + g * out * patch.rows, patch.rows, 1}, {cols.get(), patch.cols, 1},
                   y + y_at, patch.cols);
    if (!bias) return;
    for (int64_t i = 0; i < out * patch.cols; ++i) y[y_at + i] += bias[g * out + i / patch.cols];
  });
}

void input_grad_f64(const Window2d& w, const double* dy, const double* weight, double* dx) {
  Patch patch = patch_of(w);
  int64_t out = w.out_channels / w.groups;
  auto cols = std::make_unique_for_overwrite<double[]>(patch.rows * patch.cols);
  each_group(w, [&](int64_t g, int64_t x_at, int64_t y_at) {
    gemm::multiply(DType::kFloat64, patch.rows, patch.cols, out,
                   {weight + g * out * patch.rows, 1, patch.rows}, {dy + y_at, patch.cols, 1},
                   cols.get(), patch.cols);
    walk_patches(w, patch.channels, [&](int64_t from, int64_t to) { dx[x_at + to] += cols[from]; });
  });
}

void weight_grad_f64(const Window2d& w, const double* x, const double* dy, double* dweight) {
  Patch patch = patch_of(w);
  int64_t out = w.out_channels / w.groups, size = out * patch.rows;
  auto part = std::make_unique_for_overwrite<double[]>(size);
  each_group(w, [&](int64_t g, int64_t x_at, int64_t y_at) {
    auto cols = unfold(w, patch, x + x_at);
    gemm::multiply(DType::kFloat64, out, patch.rows, patch.cols, {dy + y_at, patch.cols, 1},
                   {cols.get(), 1, patch.cols}, part.get(), patch.rows);
    for (int64_t i = 0; i < size; ++i) dweight[g * size + i] += part[i];
  });
}

DType compute_dtype(const Tensor& t) {
  return t.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}
Result<Tensor> plain_copy(const Tensor& t) { return layout::contiguous_as(t, compute_dtype(t)); }

// float32 images are read and written in either order, others in plain order only.
bool in_place(const Tensor& images) {
  return images.dtype() == DType::kFloat32 && layout::is_channels_last(images);
}
Result<Tensor> images_copy(const Tensor& t, DType dtype) {
  if (in_place(t)) return t;
  return layout::contiguous_as(t, dtype);
}
Result<Tensor> images_target(const Tensor& out, DType dtype) {
  if (in_place(out)) return out;
  return layout::plain_target(out, dtype);
}
onednn::Images images(const Tensor& t) { return {t.data(), in_place(t)}; }
onednn::ImagesOut images_out(const Tensor& t) { return {t.data(), in_place(t)}; }
onednn::Images images_at(onednn::Images all, int64_t element, DType dtype) {
  all.data = static_cast<const char*>(all.data) + element * item_size(dtype);
  return all;
}
onednn::ImagesOut images_at(onednn::ImagesOut all, int64_t element, DType dtype) {
  all.data = static_cast<char*>(all.data) + element * item_size(dtype);
  return all;
}

// Whether a convolution is one product: its window covers the whole image, as in the
// squeeze-and-excitation blocks of many networks (1x1 windows on images of one pixel).
bool is_product(const Window2d& w) {
  const auto covers = [&](int axis) {
    return w.kernel[axis] == w.in[axis] && w.pad_begin[axis] == 0 && w.pad_end[axis] == 0 &&
           (w.kernel[axis] == 1 || w.dilation[axis] == 1);
  };
  return w.groups == 1 && covers(0) && covers(1);
}

// Images, outputs or weights as a matrix with a row for each of them.
Result<Tensor> as_rows(const Tensor& t) {
  MSJIT_TRY(const Tensor own, t.to_contiguous());
  const int64_t cols = own.numel() / own.dim(0);
  return Tensor::view(own, {own.dim(0), cols}, {cols, 1}, 0);
}

// `out` is written as such a matrix.
Status multiply_rows(const product::Operands& operands, const Tensor& out) {
  MSJIT_TRY(const Tensor own, layout::plain_target(out, out.dtype()));
  MSJIT_TRY(const Tensor rows, as_rows(own));
  MSJIT_OK(product::run(operands, rows));
  return layout::deliver(own, out);
}

Status forward_product(const Tensor& x, const Tensor& weight, const Tensor* bias, const Tensor& y) {
  MSJIT_TRY(const Tensor images, as_rows(x));
  MSJIT_TRY(const Tensor filters, as_rows(weight));
  return multiply_rows(
      {.a = images, .b = filters, .transpose_b = true, .bias = bias, .is_weight = true}, y);
}

Status input_grad_product(const Tensor& dy, const Tensor& weight, const Tensor& dx) {
  MSJIT_TRY(const Tensor grads, as_rows(dy));
  MSJIT_TRY(const Tensor filters, as_rows(weight));
  return multiply_rows({.a = grads, .b = filters}, dx);
}

Status weight_grad_product(const Tensor& x, const Tensor& dy, const Tensor& dweight) {
  MSJIT_TRY(const Tensor images, as_rows(x));
  MSJIT_TRY(const Tensor grads, as_rows(dy));
  return multiply_rows({.a = grads, .b = images, .transpose_a = true}, dweight);
}

// Calls run(problem, first element of its input, of its output) for parts of the batch. oneDNN
// converts plain images before and after. A large batch is run a few images at a time, so that the
// converted images stay in the caches.
template <class F>
Status each_slice(const Window2d& w, bool plain, F&& run) {
  constexpr int64_t kSlice = int64_t{1} << 20, kLarge = 4 * kSlice;  // elements
  const int64_t in = w.in_channels * w.in[0] * w.in[1], out = w.out_channels * w.out[0] * w.out[1],
                image = std::max(in, out);
  Window2d part = w;
  if (plain && w.batch * image >= kLarge) {
    part.batch = std::clamp<int64_t>(kSlice / image, 1, w.batch);
    while (w.batch % part.batch) --part.batch;
  }
  for (int64_t n = 0; n < w.batch; n += part.batch) MSJIT_OK(run(part, n * in, n * out));
  return {};
}

}  // namespace

Status forward(const Window2d& w, const Tensor& x, const Tensor& weight, const Tensor* bias,
               const Tensor& y) {
  if (y.numel() == 0) return {};
  if (weight.numel() == 0) {
    layout::fill_zero(y);
    if (bias) {
      Tensor channel = Tensor::view(*bias, {w.out_channels, 1, 1}, {bias->strides()[0], 0, 0}, 0);
      copy_strided(layout::broadcast(channel, y.shape()), y);
    }
    return {};
  }
  if (is_product(w)) return forward_product(x, weight, bias, y);
  const DType dtype = onednn::convolves(y.dtype()) ? y.dtype() : compute_dtype(y);
  MSJIT_TRY(Tensor own_x, images_copy(x, dtype));
  MSJIT_TRY(Tensor own_weight, layout::contiguous_as(weight, dtype));
  MSJIT_TRY(Tensor own_y, images_target(y, dtype));
  Tensor own_bias;
  if (bias) {
    MSJIT_TRY(own_bias, plain_copy(*bias));
  }
  void* bias_data = bias ? own_bias.data() : nullptr;
  if (y.dtype() == DType::kFloat64) {
    forward_f64(w, own_x.data_as<double>(), own_weight.data_as<double>(),
                static_cast<double*>(bias_data), own_y.data_as<double>());
    return {};
  }
  const onednn::Images from = images(own_x);
  const onednn::ImagesOut to = images_out(own_y);
  const bool plain = !from.channels_last || !to.channels_last;
  MSJIT_OK(each_slice(w, plain, [&](const Window2d& part, int64_t x_at, int64_t y_at) {
    return onednn::conv_forward(part, images_at(from, x_at, dtype), own_weight,
                                static_cast<float*>(bias_data), images_at(to, y_at, dtype));
  }));
  return layout::deliver(own_y, y);
}

Status input_grad(const Window2d& w, const Tensor& dy, const Tensor& weight, const Tensor& dx) {
  if (dx.numel() == 0) return {};
  if (is_product(w) && dy.numel() > 0) return input_grad_product(dy, weight, dx);
  if (dy.numel() == 0 || dx.dtype() == DType::kFloat64) layout::fill_zero(dx);
  if (dy.numel() == 0) return {};
  const DType dtype = onednn::has_conv_grads(w, dx.dtype()) ? dx.dtype() : compute_dtype(dx);
  MSJIT_TRY(Tensor own_dy, images_copy(dy, dtype));
  MSJIT_TRY(Tensor own_weight, layout::contiguous_as(weight, dtype));
  MSJIT_TRY(Tensor own_dx, images_target(dx, dtype));
  if (dx.dtype() == DType::kFloat64) {
    input_grad_f64(w, own_dy.data_as<double>(), own_weight.data_as<double>(),
                   own_dx.data_as<double>());
    return {};
  }
  const onednn::Images from = images(own_dy);
  const onednn::ImagesOut to = images_out(own_dx);
  const bool plain = !from.channels_last || !to.channels_last;
  MSJIT_OK(each_slice(w, plain, [&](const Window2d& part, int64_t x_at, int64_t y_at) {
    return onednn::conv_input_grad(part, dtype, images_at(from, y_at, dtype), own_weight.data(),
                                   images_at(to, x_at, dtype));
  }));
  return layout::deliver(own_dx, dx);
}

Status weight_grad(const Window2d& w, const Tensor& x, const Tensor& dy, const Tensor& dweight) {
  if (dweight.numel() == 0) return {};
  if (is_product(w) && dy.numel() > 0) return weight_grad_product(x, dy, dweight);
  if (dy.numel() == 0 || dweight.dtype() == DType::kFloat64) layout::fill_zero(dweight);
  if (dy.numel() == 0) return {};
  const DType dtype = onednn::has_conv_grads(w, x.dtype()) ? x.dtype() : compute_dtype(x);
  MSJIT_TRY(Tensor own_x, images_copy(x, dtype));
  MSJIT_TRY(Tensor own_dy, images_copy(dy, dtype));
  MSJIT_TRY(Tensor own_dweight, layout::plain_target(dweight, compute_dtype(dweight)));
  if (dweight.dtype() == DType::kFloat64) {
    weight_grad_f64(w, own_x.data_as<double>(), own_dy.data_as<double>(),
                    own_dweight.data_as<double>());
    return {};
  }
  MSJIT_OK(onednn::conv_weight_grad(w, dtype, images(own_x), images(own_dy),
                                    own_dweight.data_as<float>()));
  return layout::deliver(own_dweight, dweight);
}

}  // namespace msjit::convolution
