#include "kernels/cpu/complex_loops.h"

namespace msjit {

MSJIT_OP(not_equal)
    .doc("Whether x != y, element by element.")
    .binary(DTypeRule::kBoolResult)
    .traits(kCommutative)
    .numpy("np.not_equal(x, y)")
    .scalar<kAllTypes>([](auto m, auto x, auto y) { return x != y; })
    .complex([](auto x, auto y) { return x != y; })
    .no_grad()
    .sample({.shapes = {{4, 5}, {4, 5}}})
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 4}, .dtypes = {"int32", "int32"}})
    .sample({.shapes = {{6}, {6}}, .low_high = {0, 1.9}, .dtypes = {"bool", "bool"}});

}  // namespace msjit
