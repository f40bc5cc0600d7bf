#include "kernels/core/words.h"
#include "kernels/cpu/complex_parts.h"

namespace msjit {

MSJIT_OP(real)
    .doc("The real part; of real numbers, a copy.")
    .signature("x: Tensor")
    .traits(kComplex)
    .numpy("np.real(x)")
    .infer(part_infer)
    .cpu([](KernelCtx& ctx) -> Status {
      const Tensor& x = ctx.in[0];
      copy_strided(is_complex(x.dtype()) ? part_of(x, 0) : x, ctx.out[0]);
      return {};
    })
    .vjp([](Vjp& v) { v.set_grad(0, v.grad()); })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{4, 5}}, .dtypes = {"complex64"}});

}  // namespace msjit
