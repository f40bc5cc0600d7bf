// Writes to tensors that share memory, while gradients are recorded. Such a write does not change
// memory, because the tape may need the old values. It gives the written tensor new memory and a
// history. The tensors that share its memory must follow.
#pragma once

#include <vector>

#include "kernels/core/op.h"

namespace msjit {

// `x` with the elements whose `source` is not negative replaced by flat[source], recorded. `source`
// is an int64 tensor of x's shape on the host, `flat` a tensor of rank 1 with x's dtype. `source`
// is changed.
Result<Tensor> overlay(const Tensor& x, const Tensor& source, const Val& flat);

// What input 0 of an in-place op holds afterwards, recorded. Changes no memory. A null handle: the
// op writes to other inputs as well.
Result<Tensor> updated_value(const OpDef& op, std::span<const Tensor> in, const Attrs& attrs);

struct SharingTensor {
  Tensor tensor;
  bool detached;  // shares the values of a tracked tensor, not its history
};
// `tensors` share memory, and tensors[target] is to hold `value` now. Returns what each of them is
// from now on: tensors with their histories that share memory as before. A null handle stands for a
// Parameter, which keeps its memory: the memory itself is written then, so that later uses of
// what the tape has saved from it are errors.
Result<std::vector<Tensor>> write_shared(std::span<const SharingTensor> tensors, size_t target,
                                         const Tensor& value);

}  // namespace msjit
