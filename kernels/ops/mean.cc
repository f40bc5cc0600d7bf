#include "kernels/core/words.h"

namespace msjit {

using namespace words;

namespace {

Vals run(OpSink*, std::span<const Val> in, const Attrs& attrs) {
  const Shape& shape = in[0].shape();
  double count = 1;
  if (attrs[0].is_none() || attrs[0].as_list().empty()) {
    count = static_cast<double>(shape.numel());
  } else {
    for (int64_t a : attrs[0].as_list()) {
      const int64_t axis = a < 0 ? a + shape.rank() : a;
      if (axis >= 0 && axis < shape.rank())
        count *= static_cast<double>(shape[static_cast<int>(axis)]);
    }
  }
  // 16-bit floats are averaged in float32, where the sum does not overflow.
  const DType dtype = in[0].dtype();
  const DType wide = item_size(dtype) < 4 ? DType::kFloat32 : dtype;
  // Integers are lifted by `div`, which returns their gradients as floats.
  const Val x = is_inexact(dtype) ? cast(in[0], wide) : in[0] / 1;
  const Val total = sum(x, attrs[0], attrs[1].as_bool());
  const Val mean = count == 0 ? total / 0.0 : total * (1.0 / count);
  const bool keeps = is_inexact(dtype) || is_wide_unsigned(dtype);  // as MindSpore
  return {keeps ? cast(mean, dtype) : mean};
}

}  // namespace

MSJIT_OP(mean)
    .doc(
        "Mean over the given axes (all by default); integers of at most 8 bits or with a sign give "
        "float32.")
    .signature("x: Tensor, axis: int[]? = None, keepdims: bool = False")
    .numpy("np.mean(x, axis=axis, keepdims=keepdims)")
    .composite(run)
    .sample({.shapes = {{3, 4}}})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=1"})
    .sample({.shapes = {{3, 4, 2}}, .attrs = "axis=(0, 2), keepdims=True"});

}  // namespace msjit
