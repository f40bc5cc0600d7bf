#include "kernels/core/words.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/strided.h"

namespace msjit {

namespace {

Sym trace(ScalarBuilder& builder, std::span<const Sym> in, const Attrs& attrs) {
  const DType to = attrs[0].as_dtype();
  const DType compute = to == DType::kFloat16 || to == DType::kBFloat16 ? DType::kFloat32 : to;
  return in[0].dtype() == compute ? in[0] : builder.emit(ScalarOp::kCast, compute, in[0]);
}

Status run(KernelCtx& ctx) {
  convert_copy(ctx.in[0], ctx.out[0]);
  return {};
}

}  // namespace

MSJIT_OP(cast)
    .doc("Converts to another dtype; floats become integers as NumPy has it on x86.")
    .elementwise(DTypeRule::kCast)
    .traits(kComplex)
    .signature("x: Tensor, dtype: dtype")
    .cpu(run)
    .trace(trace)
    .vjp([](Vjp& v) { v.set_grad(0, v.grad()); })
    .sample({.shapes = {{4, 5}}, .attrs = "dtype=ms.float64"})
    .sample({.shapes = {{4, 5}}, .attrs = "dtype=ms.int32", .check_grad = false});

}  // namespace msjit
