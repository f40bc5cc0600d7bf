#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(logical_or)
    .doc("Logical or of truth values.")
    .binary(DTypeRule::kLogical)
    .traits(kComplex)
    .traits(kCommutative)
    .numpy("np.logical_or(x, y)")
    .scalar<kBools>([](auto m, auto x, auto y) { return x | y; })
    .no_grad()
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 1.9}, .dtypes = {"bool", "bool"}})
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 2}, .dtypes = {"int32", "float32"}});

}  // namespace msjit
