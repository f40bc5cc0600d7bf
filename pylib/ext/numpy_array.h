// NumPy arrays over a tensor's memory, made through NumPy's C API. The table of its functions is
// fetched from the imported module: the extension is not linked with NumPy.
#pragma once

#include "guards/py/ref.h"
#include "kernels/core/tensor.h"

namespace msjit {

// An array that shares the memory of `tensor` (not bfloat16) and keeps it alive. Empty with an
// exception set when that fails, or without one where NumPy's table is not one known here.
Ref array_over(const Tensor& tensor);

}  // namespace msjit
