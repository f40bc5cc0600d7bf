// Brings convolutions into the form of DeviceApi::convolution.
#include <algorithm>
#include <vector>

#include "kernels/core/log.h"
#include "kernels/device/device_tensors.h"
#include "kernels/device/moves.h"
#include "kernels/device/windows.h"

namespace msjit {

extern const OpDef op_sum;

namespace devices {
namespace {

// Libraries pad both sides equally. Images that need more padding on one side are copied.
bool is_even(const Window2d& w) {
  return w.pad_begin[0] == w.pad_end[0] && w.pad_begin[1] == w.pad_end[1];
}
Shape padded_shape(const Window2d& w) {
  return {w.batch, w.in_channels, w.in[0] + w.pad_begin[0] + w.pad_end[0],
          w.in[1] + w.pad_begin[1] + w.pad_end[1]};
}
Tensor middle_of(const Window2d& w, const Tensor& padded) {
  const Tensor rows = layout::slice_axis(padded, 2, w.pad_begin[0], w.in[0]);
  return layout::slice_axis(rows, 3, w.pad_begin[1], w.in[1]);
}

Result<Tensor> images_of(const Window2d& w, const Tensor& x) {
  if (is_even(w)) return x.to_contiguous();
  MSJIT_TRY(Tensor padded, Tensor::empty(Meta(x.dtype(), false, padded_shape(w), x.device())));
  MSJIT_OK(fill_zero(padded));
  MSJIT_OK(copy_elements(x, middle_of(w, padded)));
  return padded;
}

DeviceConvolution problem_of(const Window2d& w, DeviceConvolution::Kind kind, const Tensor& out) {
  DeviceConvolution c;
  c.kind = kind;
  c.dtype = out.dtype();
  c.batch = w.batch;
  c.in_channels = w.in_channels;
  c.out_channels = w.out_channels;
  c.groups = w.groups;
  const bool even = is_even(w);
  for (int i = 0; i < 2; ++i) {
    c.in[i] = w.in[i] + (even ? 0 : w.pad_begin[i] + w.pad_end[i]);
    c.out[i] = w.out[i];
    c.kernel[i] = w.kernel[i];
    c.stride[i] = w.stride[i];
    c.dilation[i] = w.dilation[i];
    c.pad[i] = even ? w.pad_begin[i] : 0;
  }
  return c;
}

Status run(const DeviceConvolution& c, const DeviceConvolutionData& data, Device device) {
  Context& at = open_context(device);
  std::vector<Storage> held;
  const DeviceScratch scratch = [&](size_t bytes) -> Result<void*> {
    MSJIT_TRY(Storage made, allocate(device, bytes));
    held.push_back(std::move(made));
    return held.back()->data;
  };
  return at.api.convolution(c, data, scratch, at.stream);
}

Status refuse_empty(const Window2d& w) {
  if (w.batch * w.in_channels * w.out_channels * w.out[0] * w.out[1] > 0) return {};
  return not_implemented_error("[convolution] images on a device, got none");
}

// ---- windows of one element ----
// Such a convolution is one matrix product per image: weights (O, C) times elements (C, P). In full
// precision cuBLAS is faster at this than cuDNN, and gives equal bits in every run.
constexpr int64_t kMostParts = int64_t{1}
                               << 27;  // elements of the products that make up a gradient

bool is_product(const Window2d& w, DType dtype) {
  if (dtype == DType::kFloat32 ? env_flag("MSJIT_TF32") : dtype != DType::kFloat64) return false;
  bool single = w.groups == 1;
  for (int i = 0; i < 2; ++i)
    single = single && w.kernel[i] == 1 && w.pad_begin[i] == 0 && w.pad_end[i] == 0;
  return single && w.batch * w.out_channels * w.in_channels <= kMostParts;
}

// The elements of the images that the windows read.
Tensor sampled(const Window2d& w, const Tensor& x) {
  if (w.stride[0] == 1 && w.stride[1] == 1) return x;
  const Tensor rows = layout::slice_axis(x, 2, 0, w.out[0], w.stride[0]);
  return layout::slice_axis(rows, 3, 0, w.out[1], w.stride[1]);
}

DeviceProduct product_of(const Window2d& w, DType dtype) {
  DeviceProduct p;
  p.dtype = dtype;
  p.batch = w.batch;
  return p;
}

Status multiply(const DeviceProduct& p, Device device) {
  Context& at = open_context(device);
  return at.api.product(p, at.stream);
}

Status forward_product(const Window2d& w, const Tensor& x, const Tensor& weight, const Tensor* bias,
                       const Tensor& y) {
  MSJIT_TRY(const Tensor images, sampled(w, x).to_contiguous());
  MSJIT_TRY(const Tensor kernel, weight.to_contiguous());
  DeviceProduct p = product_of(w, y.dtype());
  p.m = w.out_channels;
  p.k = p.lda = w.in_channels;
  p.n = p.ldb = w.out[0] * w.out[1];
  p.stride_b = p.k * p.n;
  p.a = kernel.data();
  p.b = images.data();
  p.c = y.data();
  p.accumulates = bias != nullptr;
  if (bias) {
    const Tensor column =
        Tensor::view(*bias, {w.out_channels, 1, 1}, {bias->strides()[0], 0, 0}, 0);
    MSJIT_OK(copy_elements(layout::broadcast(column, y.shape()), y));
  }
  return multiply(p, y.device());
}

Status input_grad_product(const Window2d& w, const Tensor& dy, const Tensor& weight,
                          const Tensor& dx) {
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  MSJIT_TRY(const Tensor kernel, weight.to_contiguous());
  const Tensor read = sampled(w, dx);  // elements that no window has read get 0
  Tensor made = dx;
  if (!read.same(dx)) {
    MSJIT_TRY(made, Tensor::empty(Meta(dx.dtype(), false, read.shape(), dx.device())));
  }
  DeviceProduct p = product_of(w, dx.dtype());
  p.transpose_a = true;
  p.m = p.lda = w.in_channels;
  p.k = w.out_channels;
  p.n = p.ldb = w.out[0] * w.out[1];
  p.stride_b = p.k * p.n;
  p.a = kernel.data();
  p.b = arrived.data();
  p.c = made.data();
  MSJIT_OK(multiply(p, dx.device()));
  if (made.same(dx)) return {};
  MSJIT_OK(fill_zero(dx));
  return copy_elements(made, read);
}

// One product per image, then the sum of the products.
Status weight_grad_product(const Window2d& w, const Tensor& x, const Tensor& dy,
                           const Tensor& dweight) {
  MSJIT_TRY(const Tensor images, sampled(w, x).to_contiguous());
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  const Shape shape{w.batch, w.out_channels, w.in_channels, 1, 1};
  MSJIT_TRY(const Tensor parts,
            Tensor::empty(Meta(dweight.dtype(), false, shape, dweight.device())));
  DeviceProduct p = product_of(w, dweight.dtype());
  p.transpose_b = true;
  p.m = w.out_channels;
  p.n = w.in_channels;
  p.k = p.lda = p.ldb = w.out[0] * w.out[1];
  p.stride_a = p.m * p.k;
  p.stride_b = p.n * p.k;
  p.a = arrived.data();
  p.b = images.data();
  p.c = parts.data();
  MSJIT_OK(multiply(p, dweight.device()));
  TensorVec sum;
  MSJIT_OK(run_op_untracked(op_sum, {&parts, 1}, {AttrValue(IntList{0}), AttrValue(false)}, &sum));
  return copy_elements(sum[0], dweight);
}

// Whether a product has been computed, or has failed in a way that the convolution library would
// not fix.
bool is_settled(const Status& status) {
  return status.ok() || status.error().kind != ErrorKind::kNotImplemented;
}

}  // namespace

Status convolve(const Window2d& w, const Tensor& x, const Tensor& weight, const Tensor* bias,
                const Tensor& y) {
  MSJIT_OK(refuse_empty(w));
  if (is_product(w, y.dtype()))
    if (Status done = forward_product(w, x, weight, bias, y); is_settled(done)) return done;
  MSJIT_TRY(const Tensor images, images_of(w, x));
  MSJIT_TRY(const Tensor kernel, weight.to_contiguous());
  Tensor offset;
  if (bias) {
    MSJIT_TRY(offset, bias->to_contiguous());
  }
  DeviceConvolution c = problem_of(w, DeviceConvolution::kForward, y);
  c.has_bias = bias != nullptr;
  return run(c, {images.data(), kernel.data(), y.data(), bias ? offset.data() : nullptr},
             y.device());
}

Status convolve_input_grad(const Window2d& w, const Tensor& dy, const Tensor& weight,
                           const Tensor& dx) {
  MSJIT_OK(refuse_empty(w));
  if (is_product(w, dx.dtype()))
    if (Status done = input_grad_product(w, dy, weight, dx); is_settled(done)) return done;
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  MSJIT_TRY(const Tensor kernel, weight.to_contiguous());
  Tensor whole = dx;
  if (!is_even(w)) {
    MSJIT_TRY(whole, Tensor::empty(Meta(dx.dtype(), false, padded_shape(w), dx.device())));
  }
  MSJIT_OK(run(problem_of(w, DeviceConvolution::kInputGrad, dx),
               {whole.data(), kernel.data(), arrived.data(), nullptr}, dx.device()));
  return is_even(w) ? Status() : copy_elements(middle_of(w, whole), dx);
}

Status convolve_weight_grad(const Window2d& w, const Tensor& x, const Tensor& dy,
                            const Tensor& dweight) {
  MSJIT_OK(refuse_empty(w));
  if (is_product(w, dweight.dtype()))
    if (Status done = weight_grad_product(w, x, dy, dweight); is_settled(done)) return done;
  MSJIT_TRY(const Tensor images, images_of(w, x));
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  return run(problem_of(w, DeviceConvolution::kWeightGrad, dweight),
             {images.data(), dweight.data(), arrived.data(), nullptr}, dweight.device());
}

}  // namespace devices
}  // namespace msjit
