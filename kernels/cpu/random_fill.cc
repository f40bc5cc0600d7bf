#include "kernels/cpu/random_fill.h"

#include <algorithm>

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
void fill_narrow(T* out, int64_t n, RandomState ticket, const RandomMaker& maker, double offset,
                 double scale) {
  constexpr int64_t kLanes = RandomMaker::kLanes, kPart = 4 * kLanes;
  parallel_for((n + kPart - 1) / kPart, kElementGrain / kPart, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      float values[4][kLanes];
      maker.narrow(philox_lanes<kLanes>(ticket, static_cast<uint64_t>(part * kLanes)), values);
      T scaled[kPart];
      for (int64_t i = 0; i < kLanes; ++i)
        for (int k = 0; k < 4; ++k)
          scaled[4 * i + k] = static_cast<T>(
              static_cast<float>(offset + scale * static_cast<double>(values[k][i])));
      std::copy_n(scaled, std::min(kPart, n - part * kPart), out + part * kPart);
    }
  });
}

void fill_wide(double* out, int64_t n, RandomState ticket, const RandomMaker& maker, double offset,
               double scale) {
  parallel_for((n + 1) / 2, kElementGrain / 4, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      double values[2];
      maker.wide(philox(ticket, static_cast<uint64_t>(block)), values);
      for (int64_t k = 0; k < 2 && block * 2 + k < n; ++k)
        out[block * 2 + k] = offset + scale * values[k];
    }
  });
}

}  // namespace

Status random_fill(KernelCtx& ctx, const RandomMaker& maker, bool range) {
  MSJIT_TRY(const Tensor ticket, ctx.in[0].to_contiguous());
  const RandomState state{ticket.data_as<int64_t>()[0], ticket.data_as<int64_t>()[1]};
  const double offset = ctx.attrs[1].as_float();
  const double scale = range ? ctx.attrs[2].as_float() - offset : ctx.attrs[2].as_float();
  const Tensor& out = ctx.out[0];
  const int64_t n = out.numel();
  switch (out.dtype()) {
    case DType::kFloat16: fill_narrow(out.data_as<Half>(), n, state, maker, offset, scale); break;
    case DType::kBFloat16:
      fill_narrow(out.data_as<BFloat16>(), n, state, maker, offset, scale);
      break;
    case DType::kFloat32: fill_narrow(out.data_as<float>(), n, state, maker, offset, scale); break;
    default: fill_wide(out.data_as<double>(), n, state, maker, offset, scale);
  }
  return {};
}

}  // namespace msjit
