#include "kernels/core/words.h"

namespace msjit {

extern const OpDef op_gather;

namespace {

Vals composite(OpSink* sink, std::span<const Val> in, const Attrs&) {
  return {call(op_gather, {in[1], in[0]}, {AttrValue(0)})};
}

}  // namespace

MSJIT_OP(embedding)
    .doc("Rows of weight picked by indices.")
    .traits(kComplex)
    .signature("indices: Tensor, weight: Tensor")
    .numpy("weight[indices]")
    .composite(composite)
    .sample({.shapes = {{2, 2}, {3, 4}}, .low_high = {0, 2}, .dtypes = {"int32", "float32"}});

}  // namespace msjit
