#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(bitwise_or)
    .doc("Bitwise or of integers; logical on bool.")
    .binary(DTypeRule::kInteger)
    .traits(kCommutative)
    .numpy("np.bitwise_or(x, y)")
    .scalar<kInts | kBools>([](auto m, auto x, auto y) { return x | y; })
    .no_grad()
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 9}, .dtypes = {"int32", "int32"}})
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 1.9}, .dtypes = {"bool", "bool"}});

}  // namespace msjit
