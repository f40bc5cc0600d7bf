#include "kernels/cpu/fft.h"

#define POCKETFFT_NO_MULTITHREADING
#define POCKETFFT_CACHE_SIZE 16  // plans kept by length, for each of float and double
#include <pocketfft.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "kernels/cpu/parallel.h"

namespace msjit::fft {
namespace {

pocketfft::shape_t shape_of(const Tensor& t) { return {t.shape().begin(), t.shape().end()}; }

pocketfft::stride_t strides_of(const Tensor& t) {
  pocketfft::stride_t strides;
  for (Dim stride : t.strides()) strides.push_back(stride * item_size(t.dtype()));
  return strides;
}

pocketfft::shape_t axes_in(const IntList& axes) { return {axes.begin(), axes.end()}; }

// The largest axis that is not transformed; threads share the work along it. -1 when there is none.
int shared_axis(const Tensor& t, const IntList& axes) {
  int best = -1;
  for (int i = 0; i < t.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) != axes.end()) continue;
    if (best < 0 || t.dim(i) > t.dim(best)) best = i;
  }
  return best;
}

Status in_words(const std::exception_ptr& thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return memory_error("[fft] out of memory for the plan of a transform");
  } catch (const std::exception& error) {
    return internal_error("[fft] {}", error.what());
  }
  return {};
}

// Calls f(shape, in, out) for blocks of the tensors along the shared axis. The shape is that of the
// block of `whole`, as pocketfft wants it. pocketfft throws when memory for a plan runs out. It
// transforms several lines at once where it can, which rounds differently. The blocks do not depend
// on the number of threads, so the results do not either.
template <class In, class Out, class F>
Status each_block(const Tensor& x, const Tensor& out, const Tensor& whole, const IntList& axes,
                  F&& f) {
  if (out.numel() == 0) return {};
  const int axis = shared_axis(whole, axes);
  const int64_t count = axis < 0 ? 1 : whole.dim(axis);
  const int64_t block = 16 * std::max<int64_t>(1, kElementGrain / (64 * (whole.numel() / count)));
  std::exception_ptr thrown;
  std::mutex lock;
  const auto run = [&](int64_t begin, int64_t end) {
    pocketfft::shape_t shape = shape_of(whole);
    if (axis >= 0) shape[axis] = static_cast<size_t>(end - begin);
    const int64_t in_at = axis < 0 ? 0 : begin * x.strides()[axis];
    const int64_t out_at = axis < 0 ? 0 : begin * out.strides()[axis];
    f(shape, x.data_as<In>() + in_at, out.data_as<Out>() + out_at);
  };
  parallel_for((count + block - 1) / block, 1, [&](int64_t first, int64_t last) {
    try {
      for (int64_t i = first; i < last; ++i) run(i * block, std::min(count, (i + 1) * block));
    } catch (...) {
      const std::lock_guard<std::mutex> guard(lock);
      thrown = std::current_exception();
    }
  });
  return in_words(thrown);
}

template <class T>
Status c2c_of(const Tensor& x, const Transform& t, const Tensor& out) {
  using C = std::complex<T>;
  return each_block<C, C>(x, out, x, t.axes, [&](const auto& shape, const C* from, C* to) {
    pocketfft::c2c(shape, strides_of(x), strides_of(out), axes_in(t.axes), t.forward, from, to,
                   static_cast<T>(t.scale));
  });
}

template <class T>
Status r2c_of(const Tensor& x, const Transform& t, const Tensor& out) {
  using C = std::complex<T>;
  return each_block<T, C>(x, out, x, t.axes, [&](const auto& shape, const T* from, C* to) {
    pocketfft::r2c(shape, strides_of(x), strides_of(out), axes_in(t.axes), t.forward, from, to,
                   static_cast<T>(t.scale));
  });
}

template <class T>
Status c2r_of(const Tensor& x, const Transform& t, const Tensor& out) {
  using C = std::complex<T>;
  return each_block<C, T>(x, out, out, t.axes, [&](const auto& shape, const C* from, T* to) {
    pocketfft::c2r(shape, strides_of(x), strides_of(out), axes_in(t.axes), t.forward, from, to,
                   static_cast<T>(t.scale));
  });
}

bool in_float(DType dtype) { return real_dtype(dtype) == DType::kFloat32; }

}  // namespace

Status c2c(const Tensor& x, const Transform& t, const Tensor& out) {
  return in_float(x.dtype()) ? c2c_of<float>(x, t, out) : c2c_of<double>(x, t, out);
}

Status r2c(const Tensor& x, const Transform& t, const Tensor& out) {
  return in_float(x.dtype()) ? r2c_of<float>(x, t, out) : r2c_of<double>(x, t, out);
}

Status c2r(const Tensor& x, const Transform& t, const Tensor& out) {
  return in_float(x.dtype()) ? c2r_of<float>(x, t, out) : c2r_of<double>(x, t, out);
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
