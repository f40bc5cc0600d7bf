#include "kernels/cpu/triangle.h"

#include <algorithm>
#include <cstring>

namespace msjit::triangle {

Status infer(InferCtx& ctx) {
  const Meta& x = ctx.in(0);
  if (x.shape.rank() < 2)
    return value_error("[{}] x has a wrong rank, got {}, expected at least 2", ctx.name(),
                       x.shape.rank());
  ctx.add_output(x.dtype, x.shape);
  return {};
}

Status keep(KernelCtx& ctx, bool lower) {
  MSJIT_TRY(Tensor x, ctx.in[0].to_contiguous());
  if (x.numel() == 0) return {};
  int64_t rows = x.dim(x.rank() - 2), cols = x.dim(x.rank() - 1), size = item_size(x.dtype());
  int64_t diagonal = std::clamp(ctx.attrs[0].as_int(), -rows, cols);
  const char* from = x.data_as<char>();
  char* to = ctx.out[0].data_as<char>();
  int64_t total = x.numel() / cols;
  for (int64_t i = 0; i < total; ++i, from += cols * size, to += cols * size) {
    // Columns [0, cut) belong to the lower side of this row's diagonal.
    int64_t cut = std::clamp<int64_t>(i % rows + diagonal + (lower ? 1 : 0), 0, cols);
    int64_t begin = lower ? 0 : cut, end = lower ? cut : cols;
    std::memset(to, 0, cols * size);
    std::memcpy(to + begin * size, from + begin * size, (end - begin) * size);
  }
  return {};
}

}  // namespace msjit::triangle
