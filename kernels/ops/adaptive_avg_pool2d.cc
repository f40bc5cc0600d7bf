#include "kernels/core/checks.h"
#include "kernels/core/words.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_OK(require_float(ctx, x, "x"));
  int rank = x.shape.rank();
  if (rank != 3 && rank != 4)
    return value_error("[{}] x has a wrong rank, got {}, expected 3 or 4", ctx.name(), rank);
  const IntList& size = ctx.attrs[0].as_list();
  if (size.size() > 2 || size.empty() || size[0] < -1 || size.back() < -1 || size[0] == 0 ||
      size.back() == 0)
    return value_error("[{}] output_size out of range, got {}, expected a height and a width",
                       ctx.name(), ctx.attrs[0].str());
  Shape shape = x.shape;
  for (int i = 0; i < 2; ++i) {
    Dim& dim = shape[rank - 2 + i];
    if (dim == 0)
      return value_error("[{}] x has empty planes, got shape {}", ctx.name(), x.shape.str());
    int64_t wanted = size[size.size() == 1 ? 0 : i];
    if (wanted != -1) dim = wanted;
  }
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(x.dtype, shape);
  return {};
}

// Row o averages the inputs floor(o n / out) to ceil((o + 1) n / out).
Val averaging_matrix(OpSink* sink, Dim out, Dim in, DType dtype) {
  auto fresh = Tensor::empty(DType::kFloat64, {out, in});
  if (!fresh.ok()) {
    sink->poison(fresh.take_error());
    return Val(sink, Tensor());
  }
  Tensor matrix = fresh.take();
  double* row = matrix.data_as<double>();
  for (Dim o = 0; o < out; ++o, row += in) {
    Dim begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
    for (Dim i = 0; i < in; ++i)
      row[i] = i >= begin && i < end ? 1.0 / static_cast<double>(end - begin) : 0.0;
  }
  return words::cast(sink->constant(std::move(matrix)), dtype);
}

// Averaging along an axis is a product with a constant matrix.
Vals composite(OpSink* sink, std::span<const Val> in, const Attrs& attrs) {
  const IntList& size = attrs[0].as_list();
  Val y = in[0];
  DType dtype = y.dtype();
  int rank = y.rank();
  Dim height = y.shape()[rank - 2], width = y.shape()[rank - 1];
  if (size[0] != -1) y = words::matmul(averaging_matrix(sink, size[0], height, dtype), y);
  if (size.back() != -1)
    y = words::matmul(y, averaging_matrix(sink, size.back(), width, dtype), false, true);
  return {y};
}

}  // namespace

MSJIT_OP(adaptive_avg_pool2d)
    .doc("Means over windows chosen so that the last two axes get the given size; -1 keeps one.")
    .signature("x: Tensor, output_size: int[]")
    .infer(infer)
    .composite(composite)
    .sample({.shapes = {{2, 3, 6, 5}}, .attrs = "output_size=[3, 2]"})
    .sample({.shapes = {{2, 3, 4}}, .attrs = "output_size=1"});

}  // namespace msjit
