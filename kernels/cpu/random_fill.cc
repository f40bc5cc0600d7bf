#include "kernels/cpu/random_fill.h"

#include <type_traits>

#include "kernels/cpu/fill.h"
#include "kernels/cpu/parallel.h"

namespace msjit {

Status random_infer(InferCtx& ctx) {
  MSJIT_TRY(const Shape shape, shape_attr(ctx, ctx.attrs[0]));
  const DType dtype = ctx.attrs[3].as_dtype();
  if (!is_float(dtype))
    return type_error("[{}] dtype, got {}, expected a float", ctx.name(), dtype_name(dtype));
  if (!(ctx.in(0) == Meta{DType::kInt64, false, Shape{2}}))
    return type_error("[{}] ticket, got {}, expected int64[2]", ctx.name(), ctx.in(0).str());
  ctx.add_output(dtype, shape);
  return {};
}

namespace {

template <class T>
void fill_typed(T* out, int64_t n, RandomState ticket, RandomMake make, double offset,
                double scale) {
  using C = typename ComputeType<T>::type;
  constexpr bool kWide = std::is_same_v<C, double>;
  constexpr int kPerBlock = kWide ? 2 : 4;
  parallel_for((n + kPerBlock - 1) / kPerBlock, kElementGrain / 4, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      double values[4];
      make(philox(ticket, static_cast<uint64_t>(block)), kWide, values);
      for (int64_t k = 0; k < kPerBlock && block * kPerBlock + k < n; ++k)
        out[block * kPerBlock + k] = static_cast<T>(static_cast<C>(offset + scale * values[k]));
    }
  });
}

}  // namespace

Status random_fill(KernelCtx& ctx, RandomMake make, bool range) {
  MSJIT_TRY(const Tensor ticket, ctx.in[0].to_contiguous());
  const RandomState state{ticket.data_as<int64_t>()[0], ticket.data_as<int64_t>()[1]};
  const double offset = ctx.attrs[1].as_float();
  const double scale = range ? ctx.attrs[2].as_float() - offset : ctx.attrs[2].as_float();
  const Tensor& out = ctx.out[0];
  switch (out.dtype()) {
    case DType::kFloat16:
      fill_typed(out.data_as<Half>(), out.numel(), state, make, offset, scale);
      break;
    case DType::kBFloat16:
      fill_typed(out.data_as<BFloat16>(), out.numel(), state, make, offset, scale);
      break;
    case DType::kFloat32:
      fill_typed(out.data_as<float>(), out.numel(), state, make, offset, scale);
      break;
    default: fill_typed(out.data_as<double>(), out.numel(), state, make, offset, scale);
  }
  return {};
}

}  // namespace msjit
