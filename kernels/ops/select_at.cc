#include "kernels/core/checks.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/layout.h"
#include "kernels/device/device_tensors.h"

namespace msjit {

namespace {

Status infer(InferCtx& ctx) {
  if (ctx.num_inputs() == 0)
    return value_error("[{}] no tensors, got 0, expected at least 2", ctx.name());
  const Meta& x = ctx.in(0);
  const IntList& axes = ctx.attrs[0].as_list();
  for (int i = 1; i < ctx.num_inputs(); ++i) MSJIT_OK(require_rank(ctx, ctx.in(i), 0, "index"));
  MSJIT_TRY(Shape shape, indexing::infer_shape(ctx, x.shape, 1, axes));
  for (int64_t axis : axes)
    if (x.shape[static_cast<int>(axis)] == 0)
      return index_error("[{}] size of axis {}, got 0, expected at least 1", ctx.name(), axis);
  ctx.add_output(x.dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  const IntList& axes = ctx.attrs[0].as_list();
  Shape shape = x.shape(), strides = x.strides();
  int64_t offset = 0;
  for (uint32_t k = axes.size(); k-- > 0;) {
    const auto axis = static_cast<int>(axes[k]);
    MSJIT_TRY(const Tensor here, devices::to_host(ctx.in[k + 1]));
    MSJIT_TRY(const Tensor wide, layout::as_int64(here));
    const int64_t index = *wide.data_as<int64_t>(), size = x.dim(axis);
    if (index < -size || index >= size)  // in the words of eager code, which indexes by ints
      return index_error("[getitem] index of dimension {}, got {}, expected one in [{}, {})", axis,
                         index, -size, size);
    offset += (index < 0 ? index + size : index) * strides[axis];
    shape.erase(axis);
    strides.erase(axis);
  }
  ctx.out[0] = Tensor::view(x, shape, strides, shape.numel() ? offset : 0);
  return {};
}

}  // namespace

MSJIT_OP(select_at)
    .doc(
        "x at one position along each of the named axes, which are dropped. tensors holds x, then "
        "an integer tensor without axes for each of them. A view.")
    .signature("tensors: Tensor[], axes: int[]")
    .traits(kComplex)
    .numpy(
        "tensors[0][tuple(tensors[1 + list(axes).index(a)] if a in axes else slice(None) for a "
        "in range(tensors[0].ndim))]")
    .traits(kView)
    .traits(kPositions)
    .infer(infer)
    .cpu(kernel)
    .vjp(indexing::take_vjp)
    .sample({.shapes = {{3, 4}, {}},
             .low_high = {0, 2},
             .attrs = "axes=[1]",
             .dtypes = {"float32", "int64"}})
    .sample({.shapes = {{3, 4, 3}, {}, {}},
             .low_high = {0, 2},
             .attrs = "axes=[0, 2]",
             .dtypes = {"float32", "int64", "int32"}});

}  // namespace msjit
