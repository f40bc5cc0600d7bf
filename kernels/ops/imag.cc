#include "kernels/core/words.h"
#include "kernels/cpu/complex_parts.h"
#include "kernels/cpu/layout.h"

namespace msjit {

extern const OpDef op_complex;

using namespace words;

MSJIT_OP(imag)
    .doc("The imaginary part; of real numbers, zeros.")
    .signature("x: Tensor")
    .traits(kComplex)
    .numpy("np.imag(x)")
    .infer(part_infer)
    .cpu([](KernelCtx& ctx) -> Status {
      const Tensor& x = ctx.in[0];
      if (is_complex(x.dtype()))
        copy_strided(part_of(x, 1), ctx.out[0]);
      else
        layout::fill_zero(ctx.out[0]);
      return {};
    })
    .vjp([](Vjp& v) {
      const Val g = v.grad();
      v.set_grad(
          0, is_complex(v.in(0).dtype()) ? call(op_complex, {zeros_like(g), g}) : zeros_like(g));
    })
    .sample({.shapes = {{4, 5}}})
    .sample({.shapes = {{4, 5}}, .dtypes = {"complex64"}});

}  // namespace msjit
