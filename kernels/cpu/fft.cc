#include "kernels/cpu/fft.h"

#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16  // plans kept by length, for each of float and double
#include <pocketfft.h>

#include <algorithm>

namespace msjit::fft {
namespace {

pocketfft::shape_t shape_of(const Tensor& t) { return {t.shape().begin(), t.shape().end()}; }

pocketfft::stride_t strides_of(const Tensor& t) {
  pocketfft::stride_t strides;
  for (Dim stride : t.strides()) strides.push_back(stride * item_size(t.dtype()));
  return strides;
}

pocketfft::shape_t axes_in(const IntList& axes) { return {axes.begin(), axes.end()}; }

// Runs f(T{}) with the type of the parts. pocketfft throws where memory for a plan runs out.
template <class F>
Status guarded(DType parts, F&& f) {
  try {
    if (parts == DType::kFloat32)
      f(float{});
    else
      f(double{});
  } catch (const std::bad_alloc&) {
    return memory_error("[fft] out of memory for the plan of a transform");
  } catch (const std::exception& error) {
    return internal_error("[fft] {}", error.what());
  }
  return {};
}

}  // namespace

Status c2c(const Tensor& x, const Transform& t, const Tensor& out) {
  if (out.numel() == 0) return {};
  return guarded(real_dtype(out.dtype()), [&]<class T>(T) {
    pocketfft::c2c(shape_of(x), strides_of(x), strides_of(out), axes_in(t.axes), t.forward,
                   x.data_as<std::complex<T>>(), out.data_as<std::complex<T>>(),
                   static_cast<T>(t.scale));
  });
}

Status r2c(const Tensor& x, const Transform& t, const Tensor& out) {
  if (out.numel() == 0) return {};
  return guarded(x.dtype(), [&]<class T>(T) {
    pocketfft::r2c(shape_of(x), strides_of(x), strides_of(out), axes_in(t.axes), t.forward,
                   x.data_as<T>(), out.data_as<std::complex<T>>(), static_cast<T>(t.scale));
  });
}

Status c2r(const Tensor& x, const Transform& t, const Tensor& out) {
  if (out.numel() == 0) return {};
  return guarded(out.dtype(), [&]<class T>(T) {
    pocketfft::c2r(shape_of(out), strides_of(x), strides_of(out), axes_in(t.axes), t.forward,
                   x.data_as<std::complex<T>>(), out.data_as<T>(), static_cast<T>(t.scale));
  });
}

IntList axes_of(const Attrs& attrs, int rank) {
  IntList axes;
  for (int64_t axis : attrs[0].as_list()) axes.push_back(axis < 0 ? axis + rank : axis);
  return axes;
}

Result<IntList> checked_axes(InferCtx& ctx) {
  const Shape& shape = ctx.in(0).shape;
  if (ctx.attrs[0].as_list().empty())
    return value_error("[{}] axes, got none, expected at least one", ctx.name());
  if (shape.rank() == 0)
    return value_error("[{}] x has a wrong rank, got 0, expected at least 1", ctx.name());
  MSJIT_TRY([[maybe_unused]] const IntList sorted, ctx.axes(ctx.attrs[0], shape.rank()));
  IntList axes = axes_of(ctx.attrs, shape.rank());
  for (int64_t axis : axes)
    if (shape[static_cast<int>(axis)] == 0)
      return value_error("[{}] size of axis {}, got 0, expected at least 1", ctx.name(), axis);
  return axes;
}

}  // namespace msjit::fft
