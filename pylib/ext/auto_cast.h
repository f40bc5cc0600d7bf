// Mixed precision operator by operator: between push and pop the operators that this thread calls
// from Python get their floats in another dtype, as the lists in auto_cast.cc say.
#pragma once

#include <Python.h>

#include "kernels/eager/eager_sink.h"

namespace msjit {

// The dtype of the innermost scope; kBool outside of all.
extern thread_local constinit DType auto_cast_dtype;
inline bool auto_casts() { return auto_cast_dtype != DType::kBool; }

// Runs an op on its inputs cast; the casts are recorded, so that gradients reach what was cast.
Status run_auto_cast(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                     TensorVec* out);

extern PyMethodDef g_auto_cast_functions[];

}  // namespace msjit
