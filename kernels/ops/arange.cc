#include <cmath>

#include "kernels/core/op.h"
#include "kernels/core/scalar_num.h"
#include "kernels/device/routine.h"

namespace msjit {

namespace {

bool whole(const Attrs& attrs) {
  for (int i = 0; i < 3; ++i)
    if (attrs[i].kind() == AttrValue::Kind::kFloat) return false;
  return true;
}

Status infer(InferCtx& ctx) {
  const double start = ctx.attrs[0].as_float(), end = ctx.attrs[1].as_float(),
               step = ctx.attrs[2].as_float();
  if (step == 0 || step != step)
    return value_error("[arange] step, got {}, expected a number other than 0", step);
  const double count = std::ceil((end - start) / step);
  if (!(count < 9e15))
    return value_error("[arange] number of elements, got {}, expected a finite number", count);
  const DType natural = whole(ctx.attrs) ? DType::kInt64 : DType::kFloat32;
  ctx.add_output(ctx.attrs[3].is_none() ? natural : ctx.attrs[3].as_dtype(),
                 Shape{count > 0 ? static_cast<int64_t>(count) : 0});
  return {};
}

Status run(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  const int64_t n = out.numel();
  dispatch_any_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = typename ComputeType<T>::type;
    T* data = out.data_as<T>();
    if (whole(ctx.attrs)) {
      const uint64_t start = ctx.attrs[0].as_int(), step = ctx.attrs[2].as_int();
      for (int64_t i = 0; i < n; ++i)
        data[i] = static_cast<T>(convert_value<C>(static_cast<int64_t>(start + step * i)));
    } else {
      const double start = ctx.attrs[0].as_float(), step = ctx.attrs[2].as_float();
      for (int64_t i = 0; i < n; ++i)
        data[i] = static_cast<T>(convert_value<C>(start + step * static_cast<double>(i)));
    }
  });
  return {};
}

// Key: dtype, whether all are whole numbers.
void device_routine(devices::RoutineMaker& m, const devices::RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  const Sym i = m.point();
  const Sym value =
      key[1] ? m.number(0) + m.number(1) * i : m.real(0) + m.real(1) * SymMath::to_double(i);
  m.store(0, dtype, i, SymMath::cast(value, devices::compute_dtype(dtype)));
}

Status run_on_device(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (is_complex(out.dtype())) return not_implemented_error("[arange] complex numbers on a device");
  const bool is_whole = whole(ctx.attrs);
  const auto number = [&](int i) {
    return is_whole ? ctx.attrs[i].as_int() : devices::bits_of_real(ctx.attrs[i].as_float());
  };
  return devices::launch(devices::open_context(out.device()), device_routine,
                         {static_cast<int64_t>(out.dtype()), is_whole}, {out.data()},
                         {number(0), number(2)}, out.numel());
}

}  // namespace

MSJIT_OP(arange)
    .doc("Numbers from start up to, not including, end; int64 when all are ints, else float32.")
    .traits(kComplex | kCreates)
    .signature("start: number, end: number, step: number = 1, dtype: dtype? = None")
    .infer(infer)
    .cpu(run)
    .cuda(run_on_device)
    .no_grad();

}  // namespace msjit
