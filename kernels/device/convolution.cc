// Convolutions brought into the form of DeviceApi::convolution.
#include <algorithm>
#include <vector>

#include "kernels/core/log.h"
#include "kernels/device/device_tensors.h"
#include "kernels/device/moves.h"
#include "kernels/device/windows.h"

namespace msjit::devices {
namespace {

// Libraries pad both sides alike; images that want more on one side are copied.
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

}  // namespace

Status convolve(const Window2d& w, const Tensor& x, const Tensor& weight, const Tensor* bias,
                const Tensor& y) {
  MSJIT_OK(refuse_empty(w));
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
  MSJIT_TRY(const Tensor images, images_of(w, x));
  MSJIT_TRY(const Tensor arrived, dy.to_contiguous());
  return run(problem_of(w, DeviceConvolution::kWeightGrad, dweight),
             {images.data(), dweight.data(), arrived.data(), nullptr}, dweight.device());
}

}  // namespace msjit::devices
