#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_atan2;

using namespace words;

namespace {

Vals run(OpSink*, std::span<const Val> in, const Attrs&) {
  return {call(op_atan2, {imag(in[0]), real(in[0])})};
}

}  // namespace

MSJIT_OP(angle)
    .doc("The angle of complex numbers in the plane, in radians.")
    .signature("x: Tensor")
    .numpy("np.angle(x)")
    .composite(run)
    .sample({.shapes = {{4, 5}}, .low_high = {0.5, 2}})
    .sample({.shapes = {{4, 5}}, .dtypes = {"complex64"}});

}  // namespace msjit
