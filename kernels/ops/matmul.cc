#include "kernels/cpu/matmul.h"

#include "kernels/core/words.h"
#include "kernels/device/product.h"

namespace msjit {
namespace {

Status infer(InferCtx& ctx) {
  MSJIT_OK(product::check_dtypes(ctx, ctx.in(0), ctx.in(1)));
  MSJIT_TRY(Shape shape, product::infer_shape(ctx, ctx.in(0).shape, ctx.attrs[0].as_bool(),
                                              ctx.in(1).shape, ctx.attrs[1].as_bool()));
  ctx.add_output(ctx.in(0).dtype, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  return product::run({ctx.in[0], ctx.in[1], ctx.attrs[0].as_bool(), ctx.attrs[1].as_bool()},
                      ctx.out[0]);
}

// The gradient of one right-hand matrix used by a stack of left ones: one product over all rows,
// instead of a stack of products that are then summed.
Val shared_right_grad(const Val& a, const Val& grad, bool transpose_b) {
  using namespace words;
  Dim k = a.shape().back(), n = grad.shape().back();
  Dim rows = k ? a.shape().numel() / k : 0;
  Val flat_a = reshape(a, Shape{rows, k}), flat_grad = reshape(grad, Shape{rows, n});
  return transpose_b ? matmul(flat_grad, flat_a, true) : matmul(flat_a, flat_grad, true);
}

void vjp(Vjp& v) {
  using namespace words;
  Val a = v.in(0), b = v.in(1), grad = v.grad();
  bool ta = v.attrs[0].as_bool() && a.rank() > 1, tb = v.attrs[1].as_bool() && b.rank() > 1;
  bool a_vector = a.rank() == 1, b_vector = b.rank() == 1;
  if (b_vector) grad = expand_dims(grad, -1);
  if (a_vector) grad = expand_dims(grad, -2);
  if (a_vector) a = expand_dims(a, 0);
  if (b_vector) b = expand_dims(b, 1);
  if (v.needs(0)) {
    Val da = ta ? matmul(b, grad, tb, true) : matmul(grad, b, false, !tb);
    v.set_grad(0, a_vector ? squeeze(da, {-2}) : da);
  }
  if (v.needs(1)) {
    bool shared = b.rank() == 2 && a.rank() > 2 && !ta && a.shape().numel() > 0;
    Val db = shared ? shared_right_grad(a, grad, tb)
             : tb   ? matmul(grad, a, true, ta)
                    : matmul(a, grad, !ta, false);
    v.set_grad(1, b_vector ? squeeze(db, {-1}) : db);
  }
}

}  // namespace

MSJIT_OP(matmul)
    .doc(
        "Matrix product of two tensors. Vectors are rows on the left and columns on the right; "
        "leading axes broadcast.")
    .signature("x: Tensor, y: Tensor, transpose_a: bool = False, transpose_b: bool = False")
    .numpy(
        "np.matmul(np.swapaxes(x, -1, -2) if transpose_a and x.ndim > 1 else x, "
        "np.swapaxes(y, -1, -2) if transpose_b and y.ndim > 1 else y)")
    .traits(kComplex | kHolomorphic | kTotal)
    .infer(infer)
    .cpu(kernel)
    .cuda([](KernelCtx& ctx) {
      return devices::product(ctx.in[0], ctx.attrs[0].as_bool(), ctx.in[1], ctx.attrs[1].as_bool(),
                              nullptr, ctx.out[0]);
    })
    .vjp(vjp)
    .sample({.shapes = {{3, 4}, {4, 5}}})
    .sample({.shapes = {{4, 3}, {5, 4}}, .attrs = "transpose_a=True, transpose_b=True"})
    .sample({.shapes = {{2, 1, 3, 4}, {3, 4, 2}}})
    .sample({.shapes = {{2, 3, 4}, {4, 2}}})
    .sample({.shapes = {{2, 3, 4}, {2, 4}}, .attrs = "transpose_b=True"})
    .sample({.shapes = {{4}, {4}}})
    .sample({.shapes = {{4}, {2, 4, 3}}})
    .sample({.shapes = {{2, 3, 4}, {4}}})
    .sample({.shapes = {{3, 0}, {0, 2}}})
    .sample({.shapes = {{3, 4}, {4, 2}}, .dtypes = {"float64", "float64"}})
    .sample({.shapes = {{3, 4}, {4, 2}}, .dtypes = {"int32", "int32"}, .check_grad = false})
    .sample({.shapes = {{2, 3, 4}, {4, 2}}, .dtypes = {"complex64", "complex64"}});

}  // namespace msjit
