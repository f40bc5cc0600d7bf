#include "kernels/core/checks.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/routine.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(require_integer(ctx, ctx.in(0), "indices"));
  Shape shape = ctx.in(0).shape;
  int64_t depth = ctx.attrs[0].as_int();
  if (depth < 0) return value_error("[{}] depth must not be negative, got {}", ctx.name(), depth);
  if (shape.rank() == kMaxRank)
    return value_error("[{}] too many dimensions, got {}, expected at most {}", ctx.name(),
                       kMaxRank + 1, kMaxRank);
  MSJIT_TRY(int axis, ctx.axis(ctx.attrs[3].as_int(), shape.rank() + 1));
  shape.insert(axis, depth);
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(ctx.attrs[4].as_dtype(), shape);
  return {};
}

// An index outside [0, depth) leaves its row at the `off` value, as in MindSpore.
Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (out.numel() == 0) return {};
  Tensor on = Tensor::scalar_of(out.dtype(), ctx.attrs[1].as_float());
  Tensor off = Tensor::scalar_of(out.dtype(), ctx.attrs[2].as_float());
  copy_strided(layout::broadcast(off, out.shape()), out);
  MSJIT_TRY(Tensor indices, layout::as_int64(ctx.in[0]));
  auto split = layout::split_at(out.shape(), normal_axis(ctx.attrs[3].as_int(), out.rank()));
  const int64_t* index = indices.data_as<int64_t>();
  dispatch_size(out.dtype(), [&]<class T>(TypeTag<T>) {
    T value = *on.data_as<T>();
    T* data = out.data_as<T>();
    for (int64_t o = 0; o < split.outer; ++o)
      for (int64_t i = 0; i < split.inner; ++i) {
        int64_t k = index[o * split.inner + i];
        if (k >= 0 && k < split.length) data[(o * split.length + k) * split.inner + i] = value;
      }
  });
  return {};
}

// Key: dtypes of results and indices, small numbers. Arguments: inner size, depth, on, off.
void device_routine(devices::RoutineMaker& m, const devices::RoutineKey& key) {
  const auto dtype = static_cast<DType>(key[0]);
  m.use_small_numbers(key[2]);
  const Sym element = m.point(), inner = m.number(0), depth = m.number(1);
  const Sym row = m.divide(element, inner);
  const Sym from = m.divide(row, depth) * inner + m.modulo(element, inner);
  const Sym index = SymMath::cast(m.load(1, static_cast<DType>(key[1]), from), DType::kInt64);
  const Sym value = SymMath::select(index == m.modulo(row, depth), m.real(2), m.real(3));
  m.store(0, dtype, element, SymMath::cast(value, devices::compute_dtype(dtype)));
}

Status run_on_device(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (is_complex(out.dtype()))
    return not_implemented_error("[one_hot] complex numbers on a device");
  MSJIT_TRY(const Tensor indices, ctx.in[0].to_contiguous());
  const auto split = layout::split_at(out.shape(), normal_axis(ctx.attrs[3].as_int(), out.rank()));
  return devices::launch(devices::open_context(out.device()), device_routine,
                         {static_cast<int64_t>(out.dtype()), static_cast<int64_t>(indices.dtype()),
                          devices::are_small({out.numel()})},
                         {out.data(), indices.data()},
                         {split.inner, split.length, devices::bits_of_real(ctx.attrs[1].as_float()),
                          devices::bits_of_real(ctx.attrs[2].as_float())},
                         out.numel());
}

}  // namespace

MSJIT_OP(one_hot)
    .doc(
        "A new axis of size `depth` that holds on_value at the index and off_value elsewhere; an "
        "index out of range gives no on_value.")
    .traits(kComplex)
    .signature(
        "indices: Tensor, depth: int, on_value: number = 1, off_value: number = 0, "
        "axis: int = -1, dtype: dtype = float32")
    .numpy(
        "np.moveaxis(np.where(np.arange(depth) == np.expand_dims(indices, -1), on_value, "
        "off_value), -1, axis).astype(dtype)")
    .no_grad()
    .infer(infer)
    .cpu(kernel)
    .cuda(run_on_device)
    .sample({.shapes = {{2, 3}},
             .low_high = {0, 4},
             .attrs = "depth=4",
             .dtypes = {"int32"},
             .check_grad = false})
    .sample({.shapes = {{3}},
             .low_high = {0, 3},
             .attrs = "depth=3, axis=0",
             .dtypes = {"int64"},
             .check_grad = false});

}  // namespace msjit
