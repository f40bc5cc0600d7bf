// The scopes of automatic mixed precision (push ... pop) of this thread: operators that it calls
// from Python have their float inputs cast, as kernels/core/auto_cast.h says. While one is open,
// nothing is captured and no graph runs; a captured function that opens one itself has the casts in
// its graph.
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
