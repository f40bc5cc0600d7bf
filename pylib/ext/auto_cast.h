// Automatic mixed precision. Inside a scope (push ... pop), operators that this thread calls from
// Python have their float inputs cast: to the scope's dtype, to float32, or to the widest dtype
// among them. The lists in auto_cast.cc say which operator gets which.
#pragma once

#include <Python.h>

#include "kernels/eager/eager_sink.h"

namespace msjit {

// The dtype of the innermost scope; kBool outside of all.
extern thread_local constinit DType auto_cast_dtype;
inline bool auto_casts() { return auto_cast_dtype != DType::kBool; }

// Casts the inputs and runs the op. The tape records the casts, so gradients reach the originals.
Status run_auto_cast(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                     TensorVec* out);

extern PyMethodDef g_auto_cast_functions[];

}  // namespace msjit
