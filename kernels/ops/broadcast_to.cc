#include "kernels/core/words.h"
#include "kernels/cpu/layout.h"

namespace msjit {
namespace {

// Compares the trailing sizes of x with the target; -1 keeps the size of x.
Result<Shape> target_shape(const char* name, const Shape& x, const IntList& sizes) {
  int lead = static_cast<int>(sizes.size()) - x.rank();
  if (lead < 0 || sizes.size() > kMaxRank)
    return value_error("[{}] shape has a wrong length, got {}, expected {} to {}", name,
                       sizes.size(), x.rank(), kMaxRank);
  Shape shape;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    Dim own = i >= lead ? x[i - lead] : 1, want = sizes[i];
    if (want == -1 && i >= lead) want = own;
    if (want < 0 || (own != want && own != 1))
      return value_error("[{}] cannot broadcast shape {}, got target {}", name, x.str(),
                         AttrValue(sizes).str());
    shape.push_back(want);
  }
  return shape;
}

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  MSJIT_TRY(Shape shape, target_shape(ctx.name(), x.shape, ctx.attrs[0].as_list()));
  if (checked_numel(shape) < 0)
    return memory_error("[{}] too many elements, got shape {}", ctx.name(), shape.str());
  ctx.add_output(x.dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& x = ctx.in[0];
  MSJIT_TRY(Shape shape, target_shape(ctx.op.name, x.shape(), ctx.attrs[0].as_list()));
  ctx.out[0] = layout::broadcast(x, shape);
  return {};
}

void vjp(Vjp& v) { v.set_grad(0, v.grad()); }  // summed to the input's shape

}  // namespace

MSJIT_OP(broadcast_to)
    .doc(
        "Repeats axes of size one, and adds leading ones, to reach a shape; -1 keeps a size. A "
        "view without memory of its own.")
    .traits(kComplex)
    .signature("x: Tensor, shape: int[]")
    .numpy(
        "np.broadcast_to(x, [n if s == -1 else s for s, n in "
        "zip(shape, (1,) * (len(shape) - x.ndim) + x.shape)])")
    .traits(kView)
    .infer(infer)
    .cpu(kernel)
    .vjp(vjp)
    .sample({.shapes = {{3, 1}}, .attrs = "shape=[2, 3, 4]"})
    .sample({.shapes = {{2, 1}}, .attrs = "shape=[-1, 3]"})
    .sample({.shapes = {{1}}, .attrs = "shape=[0]"})
    .sample({.shapes = {{}}, .attrs = "shape=[2, 2]"});

}  // namespace msjit
