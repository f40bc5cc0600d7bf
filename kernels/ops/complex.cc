#include "kernels/core/words.h"
#include "kernels/cpu/complex_parts.h"
#include "kernels/cpu/layout.h"

namespace msjit {

using namespace words;

namespace {

Status infer(InferCtx& ctx) {
  const DType dtype = ctx.in(0).dtype;
  if (dtype != ctx.in(1).dtype || (dtype != DType::kFloat32 && dtype != DType::kFloat64))
    return type_error("[{}] dtypes, got {} and {}, expected float32 or float64 for both",
                      ctx.name(), dtype_name(dtype), dtype_name(ctx.in(1).dtype));
  MSJIT_TRY(const Shape shape, ctx.broadcast(ctx.in(0).shape, ctx.in(1).shape));
  ctx.add_output(dtype == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128, shape);
  return {};
}

Status kernel(KernelCtx& ctx) {
  const Tensor& out = ctx.out[0];
  if (out.numel() == 0) return {};
  for (int part = 0; part < 2; ++part)
    copy_strided(layout::broadcast(ctx.in[part], out.shape()), part_of(out, part));
  return {};
}

}  // namespace

MSJIT_OP(complex)
    .doc("Complex numbers of real and imaginary parts, both float32 or both float64.")
    .signature("real: Tensor, imag: Tensor")
    .traits(kComplex)
    .numpy("real + 1j * imag")
    .infer(infer)
    .cpu(kernel)
    .vjp([](Vjp& v) {
      if (v.needs(0)) v.set_grad(0, real(v.grad()));
      if (v.needs(1)) v.set_grad(1, imag(v.grad()));
    })
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{2, 3}, {3}}});

}  // namespace msjit
