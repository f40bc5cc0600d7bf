#include "kernels/cpu/complex_parts.h"

namespace msjit {

Tensor part_of(const Tensor& t, int part) {
  const DType dtype = real_dtype(t.dtype());
  Shape strides = t.strides();
  for (Dim& stride : strides) stride *= 2;
  const int64_t offset = t.data_as<char>() - static_cast<char*>(t.storage()->data);
  return Tensor::from_storage(t.storage(), dtype, t.shape(), strides,
                              offset + part * item_size(dtype));
}

Status part_infer(InferCtx& ctx) {
  ctx.add_output(real_dtype(ctx.in(0).dtype), ctx.in(0).shape);
  return {};
}

}  // namespace msjit
