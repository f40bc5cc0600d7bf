#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_sort;

namespace {

Vals composite(OpSink* sink, std::span<const Val> in, const Attrs& attrs) {
  Vals ordered = call_multi(sink, op_sort, in, attrs);
  return {ordered.back()};
}

}  // namespace

MSJIT_OP(argsort)
    .doc("The positions that would sort x along `axis`.")
    .signature("x: Tensor, axis: int = -1, descending: bool = False")
    .numpy("np.argsort(-x if descending else x, axis, kind=\"stable\")")
    .no_grad()
    .composite(composite)
    .sample({.shapes = {{3, 5}}, .check_grad = false})
    .sample({.shapes = {{3, 5}}, .attrs = "axis=0, descending=True", .check_grad = false});

}  // namespace msjit
