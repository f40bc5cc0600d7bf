// What cummax and cummin share: the extreme element up to each place along an axis, and its
// position. Among equal elements the last one counts. From a NaN on, the NaN is the extreme.
#pragma once

#include "kernels/core/checks.h"
#include "kernels/core/words.h"
#include "kernels/cpu/extremum.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_scatter_elements;

inline Status running_extremum_infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY([[maybe_unused]] const int axis, ctx.axis(ctx.attrs[0].as_int(), x.shape.rank()));
  ctx.add_output(x.dtype, x.shape);
  ctx.add_output(DType::kInt64, x.shape);
  return {};
}

template <bool kLargest>
Status running_extremum_kernel(KernelCtx& ctx) {
  if (ctx.out[0].numel() == 0) return {};
  MSJIT_TRY(const Tensor own, ctx.in[0].to_contiguous());
  layout::AxisSplit split;
  if (own.rank() > 0)
    split = layout::split_at(own.shape(), normal_axis(ctx.attrs[0].as_int(), own.rank()));
  dispatch_dtype(own.dtype(), [&]<class T>(TypeTag<T>) {
    using C = typename ComputeType<T>::type;
    const T* from = own.data_as<T>();
    T* values = ctx.out[0].data_as<T>();
    int64_t* places = ctx.out[1].data_as<int64_t>();
    for (int64_t o = 0; o < split.outer; ++o)
      for (int64_t i = 0; i < split.inner; ++i) {
        const int64_t first = o * split.length * split.inner + i;
        int64_t best = 0;
        for (int64_t k = 0; k < split.length; ++k) {
          const C old = from[first + best * split.inner], next = from[first + k * split.inner];
          if (next != next || (old == old && !is_beyond<kLargest>(old, next))) best = k;
          values[first + k * split.inner] = from[first + best * split.inner];
          places[first + k * split.inner] = best;
        }
      }
  });
  return {};
}

inline void running_extremum_vjp(Vjp& v) {
  v.set_grad(0, call(op_scatter_elements, {words::zeros_like(v.in(0)), v.out(1), v.grad()},
                     {v.attrs[0], AttrValue("add")}));
}

}  // namespace msjit
