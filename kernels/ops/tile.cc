#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

// x's shape with leading ones, up to the rank of the result.
Shape padded(const Shape& x, const IntList& reps) {
  Shape shape;
  for (int i = x.rank(); i < static_cast<int>(reps.size()); ++i) shape.push_back(1);
  for (Dim d : x) shape.push_back(d);
  return shape;
}

// Repetitions of axis `i` of a result of `rank`.
int64_t repeats(const IntList& reps, int rank, int i) {
  int lead = rank - static_cast<int>(reps.size());
  return i < lead ? 1 : reps[i - lead];
}

Status infer(InferCtx& ctx) {
  const IntList& reps = ctx.attrs[0].as_list();
  if (reps.size() > kMaxRank)
    return value_error("[{}] too many dimensions, got {}, expected at most {}", ctx.name(),
                       reps.size(), kMaxRank);
  Shape shape = padded(ctx.in(0).shape, reps);
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t n = repeats(reps, shape.rank(), i);
    if (n < 0)
      return value_error("[{}] repetitions must not be negative, got {}", ctx.name(),
                         ctx.attrs[0].str());
    if (__builtin_mul_overflow(shape[i], n, &shape[i])) shape[i] = INT64_MAX;
  }
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

// Repeats one axis at a time, innermost first; the last step writes the output.
Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (out.numel() == 0) return {};
  const IntList& reps = ctx.attrs[0].as_list();
  Shape shape = padded(ctx.in[0].shape(), reps);
  int first = 0, rank = shape.rank();
  while (first < rank && repeats(reps, rank, first) == 1) ++first;
  if (first == rank) return copy_strided(ctx.in[0], out), Status();
  MSJIT_TRY(Tensor current, ctx.in[0].to_contiguous());
  for (int axis = rank - 1; axis >= first; --axis) {
    int64_t n = repeats(reps, rank, axis);
    if (n == 1) continue;
    layout::AxisSplit split = layout::split_at(shape, axis);
    int64_t block = split.length * split.inner;
    shape[axis] *= n;
    Tensor next = out;
    if (axis != first) {
      MSJIT_TRY(next, Tensor::empty(out.dtype(), shape));
    }
    Shape grid{split.outer, n, block};
    Tensor source = Tensor::view(current, grid, {block, 0, 1}, 0);
    copy_strided(source, Tensor::view(next, grid, contiguous_strides(grid), 0));
    current = next;
  }
  return {};
}

void vjp(Vjp& v) {
  const IntList& reps = v.attrs[0].as_list();
  Shape shape = padded(v.in(0).shape(), reps);
  Val grad = v.grad();
  Shape current = grad.shape();
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t n = repeats(reps, shape.rank(), i);
    if (n == 1) continue;
    layout::AxisSplit split = layout::split_at(current, i);
    Val grid = words::reshape(grad, Shape{split.outer, n, shape[i] * split.inner});
    current[i] = shape[i];
    grad = words::reshape(words::sum(grid, IntList{1}), current);
  }
  v.set_grad(0, words::reshape(grad, v.in(0).shape()));
}

}  // namespace

MSJIT_OP(tile)
    .doc("Repeats x as a whole along each axis.")
    .traits(kComplex | kTotal)
    .signature("x: Tensor, reps: int[]")
    .numpy("np.tile(x, reps)")
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{2, 3}}, .attrs = "reps=[2, 2]"})
    .sample({.shapes = {{2, 3}}, .attrs = "reps=[3]"})
    .sample({.shapes = {{3}}, .attrs = "reps=[2, 1, 2]"})
    .sample({.shapes = {{3}}, .attrs = "reps=[0]"});

}  // namespace msjit
