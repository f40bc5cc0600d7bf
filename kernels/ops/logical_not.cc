#include "kernels/cpu/elementwise.h"

namespace msjit {

MSJIT_OP(logical_not)
    .doc("Whether x is false.")
    .unary(DTypeRule::kLogical)
    .traits(kComplex)
    .numpy("np.logical_not(x)")
    .scalar<kBools>([](auto m, auto x) { return ~x; })
    .no_grad()
    .sample({.shapes = {{6}}, .low_high = {0, 1.9}, .dtypes = {"bool"}})
    .sample({.shapes = {{6}}, .low_high = {0, 2}, .dtypes = {"int32"}});

}  // namespace msjit
