#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(invert)
    .doc("Bitwise not; logical not on bool.")
    .unary(DTypeRule::kInteger)
    .numpy("np.invert(x)")
    .scalar<kInts | kBools>([](auto m, auto x) { return ~x; })
    .no_grad()
    .sample({.shapes = {{6}}, .low_high = {-9, 9}, .dtypes = {"int32"}})
    .sample({.shapes = {{6}}, .low_high = {0, 1.9}, .dtypes = {"bool"}});

}  // namespace msjit
