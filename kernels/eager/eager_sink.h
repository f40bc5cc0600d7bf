// Eager execution of one op: infers, allocates, runs the kernel, and records on the tape when an
// input is tracked. run_op is the hot path of eager mode: it allocates nothing but the outputs and
// makes no virtual call.
#pragma once

#include "kernels/core/op.h"

namespace msjit {

using TensorVec = InlineVec<Tensor, 2>;

// Runs `op` on tensors (a null handle = absent optional input). Appends the outputs to `out`, which
// is left as it was when an error is returned. An in-place op yields its first input's handle.
Status run_op(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs, TensorVec* out);
// run_op() for a caller that holds the interpreter's lock; it releases the lock for long work.
Status run_op_unlocking(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                        TensorVec* out);
// run_op() without recording on the tape.
Status run_op_untracked(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs,
                        TensorVec* out);

class EagerSink final : public OpSink {
 public:
  Result<Vals> apply(const OpDef& op, std::span<const Val> in, const Attrs& attrs) override;
  const Meta& meta(const Val& value) const override { return value.tensor().meta(); }
  Val constant(Tensor value) override { return Val(this, place_table(this, std::move(value))); }
};

EagerSink& eager_sink();  // one per thread

// Op calls that ran eagerly since start or reset, over all threads, for stats().
int64_t eager_op_count();
void reset_eager_op_count();

}  // namespace msjit
