// Running operators for Python: the Op callable, and the calls the number and index protocols make.
#pragma once

#include "guards/py/op_args.h"
#include "kernels/eager/eager_sink.h"

namespace msjit {

// Runs `op`, without the GIL when the inputs are large. False with an exception set.
bool run_call(const OpDef& op, std::span<TensorImpl* const> inputs, const Attrs& attrs,
              TensorVec* out);
// Its result as Python sees it: a Tensor, or a tuple when the op has several outputs.
Ref call_op(const OpDef& op, std::span<TensorImpl* const> inputs, const Attrs& attrs);

bool ready_op_type();
// The callable of `op`; there is one object for each op.
Ref op_object(const OpDef& op);
Ref op_table();  // list of dicts describing every op
Ref attr_to_python(const AttrValue& value);

}  // namespace msjit
