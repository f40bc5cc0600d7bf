#include "kernels/cpu/pool.h"

#include <algorithm>
#include <cfloat>
#include <limits>

#include "kernels/cpu/any_float.h"
#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit::pooling {
namespace {

using onednn::Window2d;

// The part of a window along one axis that is inside the input, and the window's size with padding.
struct Span {
  int64_t begin, end, padded;
};
Span span_of(const Window2d& w, int axis, int64_t out) {
  int64_t first = out * w.stride[axis] - w.pad_begin[axis];
  int64_t last = std::min(first + w.kernel[axis], w.in[axis] + w.pad_end[axis]);
  return {std::max<int64_t>(first, 0), std::min(last, w.in[axis]), last - first};
}

int64_t plane_cost(const Window2d& w) { return w.out[0] * w.out[1] * w.kernel[0] * w.kernel[1]; }

// The first index of a dilated window that is inside the input.
int64_t first_inside(int64_t start, int64_t dilation) {
  return start >= 0 ? start : start + (-start + dilation - 1) / dilation * dilation;
}

// Picks the better of two candidates without a branch: no branch predictor could predict it.
template <class C>
inline void keep_greater(C value, int64_t at, C& best, int64_t& best_at) {
  bool greater = value > best;
  if constexpr (std::is_floating_point_v<C>) greater |= value != value && best == best;
  best = greater ? value : best;
  best_at = greater ? at : best_at;
}

template <class T, bool kIndexed>
void max_plane(const Window2d& w, const T* x, T* y, int64_t* index) {
  using C = typename ComputeType<T>::type;
  for (int64_t oh = 0; oh < w.out[0]; ++oh) {
    int64_t top = oh * w.stride[0] - w.pad_begin[0];
    int64_t h_end = std::min(w.in[0], top + w.dilation[0] * (w.kernel[0] - 1) + 1);
    int64_t h0 = first_inside(top, w.dilation[0]);
    for (int64_t ow = 0; ow < w.out[1]; ++ow, ++y) {
      int64_t left = ow * w.stride[1] - w.pad_begin[1];
      int64_t w_end = std::min(w.in[1], left + w.dilation[1] * (w.kernel[1] - 1) + 1);
      int64_t w0 = first_inside(left, w.dilation[1]), best_at = h0 * w.in[1] + w0;
      C best = static_cast<C>(x[best_at]);
      for (int64_t h = h0; h < h_end; h += w.dilation[0])
        for (int64_t at = h * w.in[1] + w0; at < h * w.in[1] + w_end; at += w.dilation[1])
          keep_greater(static_cast<C>(x[at]), at, best, best_at);
      *y = static_cast<T>(best);
      if constexpr (kIndexed) *index++ = best_at;
    }
  }
}

// Calls f(output position, input position, weight) for every element of every window of a plane.
template <class C, class F>
void walk_average(const Window2d& w, Divisor divisor, F&& f) {
  for (int64_t oh = 0; oh < w.out[0]; ++oh) {
    Span rows = span_of(w, 0, oh);
    for (int64_t ow = 0; ow < w.out[1]; ++ow) {
      Span cols = span_of(w, 1, ow);
      int64_t inside = (rows.end - rows.begin) * (cols.end - cols.begin);
      int64_t count = divisor.fixed             ? divisor.fixed
                      : divisor.include_padding ? rows.padded * cols.padded
                                                : inside;
      f(oh * w.out[1] + ow, rows, cols, static_cast<C>(count));
    }
  }
}

template <class T>
void average_plane(const Window2d& w, Divisor divisor, const T* x, T* y) {
  using C = typename ComputeType<T>::type;
  walk_average<C>(w, divisor, [&](int64_t at, const Span& rows, const Span& cols, C count) {
    C sum = 0;
    for (int64_t h = rows.begin; h < rows.end; ++h)
      for (int64_t c = cols.begin; c < cols.end; ++c) sum += static_cast<C>(x[h * w.in[1] + c]);
    y[at] = static_cast<T>(sum / count);
  });
}

template <class T>
void average_grad_plane(const Window2d& w, Divisor divisor, const T* dy, T* dx) {
  using C = typename ComputeType<T>::type;
  walk_average<C>(w, divisor, [&](int64_t at, const Span& rows, const Span& cols, C count) {
    C share = static_cast<C>(dy[at]) / count;
    for (int64_t h = rows.begin; h < rows.end; ++h)
      for (int64_t c = cols.begin; c < cols.end; ++c) {
        T& slot = dx[h * w.in[1] + c];
        slot = static_cast<T>(static_cast<C>(slot) + share);
      }
  });
}

template <class F>
Status dispatch_float(DType dtype, F&& f) {
  return dispatch_dtype(dtype, [&]<class T>(TypeTag<T> tag) {
    if constexpr (!std::is_integral_v<T>) return f(tag);
    return Status();
  });
}

}  // namespace

bool is_plain(const Window2d& w, DType dtype) {
  if (dtype != DType::kFloat32 || w.batch * w.in_channels == 0) return false;
  for (int i = 0; i < 2; ++i) {
    int64_t reach = (w.out[i] - 1) * w.stride[i] + w.dilation[i] * (w.kernel[i] - 1) + 1;
    if (reach > w.in[i] + w.pad_begin[i] + w.pad_end[i]) return false;
  }
  return true;
}

bool is_plain_max(const Window2d& w, const Tensor& x) {
  return is_plain(w, x.dtype()) &&
         !any_of_floats(x.data_as<float>(), x.numel(), [](float v) { return !(v >= -FLT_MAX); });
}

Result<Tensor> in_order_of(const Tensor& y, const Tensor& x) {
  if (!layout::is_channels_last(y)) return x.to_contiguous();
  return layout::to_channels_last(x);
}

Status max(const Window2d& w, const Tensor& x, const Tensor& y, const Tensor& index) {
  int64_t in = w.in[0] * w.in[1], out = w.out[0] * w.out[1];
  return dispatch_dtype(x.dtype(), [&]<class T>(TypeTag<T>) -> Status {
    if constexpr (!std::is_same_v<T, bool>) {
      MSJIT_TRY(Tensor own, x.to_contiguous());
      MSJIT_TRY(Tensor result, layout::plain_target(y, y.dtype()));
      parallel_for(w.batch * w.in_channels, layout::grain_for(plane_cost(w)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t p = begin; p < end; ++p)
                       index ? max_plane<T, true>(w, own.data_as<T>() + p * in,
                                                  result.data_as<T>() + p * out,
                                                  index.data_as<int64_t>() + p * out)
                             : max_plane<T, false>(w, own.data_as<T>() + p * in,
                                                   result.data_as<T>() + p * out, nullptr);
                   });
      return layout::deliver(result, y);
    }
    return {};
  });
}

Status unpool(const char* name, const Tensor& dy, const Tensor& index, const Tensor& result) {
  MSJIT_TRY(Tensor dx, layout::plain_target(result, result.dtype()));
  layout::fill_zero(dx);
  if (dy.numel() == 0) return layout::deliver(dx, result);
  MSJIT_TRY(Tensor own, dy.to_contiguous());
  MSJIT_TRY(Tensor positions, layout::as_int64(index));
  int64_t in = dx.dim(2) * dx.dim(3), out = dy.dim(2) * dy.dim(3);
  const int64_t* at = positions.data_as<int64_t>();
  for (int64_t i = 0; i < positions.numel(); ++i)
    if (at[i] < 0 || at[i] >= in)
      return index_error("[{}] index {} is out of bounds for a plane of {} elements", name, at[i],
                         in);
  return dispatch_float(dx.dtype(), [&]<class T>(TypeTag<T>) {
    using C = typename ComputeType<T>::type;
    parallel_for(dx.dim(0) * dx.dim(1), layout::grain_for(out), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        for (int64_t i = p * out; i < (p + 1) * out; ++i) {
          T& slot = dx.data_as<T>()[p * in + at[i]];
          slot = static_cast<T>(static_cast<C>(slot) + static_cast<C>(own.data_as<T>()[i]));
        }
    });
    return layout::deliver(dx, result);
  });
}

Status average(const Window2d& w, Divisor divisor, const Tensor& x, const Tensor& y) {
  MSJIT_TRY(Tensor own, x.to_contiguous());
  MSJIT_TRY(Tensor result, layout::plain_target(y, y.dtype()));
  int64_t in = w.in[0] * w.in[1], out = w.out[0] * w.out[1];
  return dispatch_float(x.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(
        w.batch * w.in_channels, layout::grain_for(plane_cost(w)), [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p)
            average_plane(w, divisor, own.data_as<T>() + p * in, result.data_as<T>() + p * out);
        });
    return layout::deliver(result, y);
  });
}

Status average_grad(const Window2d& w, Divisor divisor, const Tensor& dy, const Tensor& result) {
  MSJIT_TRY(Tensor dx, layout::plain_target(result, result.dtype()));
  layout::fill_zero(dx);
  MSJIT_TRY(Tensor own, dy.to_contiguous());
  int64_t in = w.in[0] * w.in[1], out = w.out[0] * w.out[1];
  return dispatch_float(dx.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(
        w.batch * w.in_channels, layout::grain_for(plane_cost(w)), [&](int64_t begin, int64_t end) {
          for (int64_t p = begin; p < end; ++p)
            average_grad_plane(w, divisor, own.data_as<T>() + p * out, dx.data_as<T>() + p * in);
        });
    return layout::deliver(dx, result);
  });
}

}  // namespace msjit::pooling
