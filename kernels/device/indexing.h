// kernels/cpu/indexing.h on a device, with the host's rules, results and errors. But an index out
// of range is only noted, and the next wait reports it. Values put at repeated indices are combined
// in order, so sums have the same bits in every run. NotImplementedError for what the host has to
// compute.
#pragma once

#include "kernels/core/op.h"

namespace msjit::devices {

Status take(const char* name, const Tensor& x, std::span<const Tensor> indices, const IntList& axes,
            const Tensor& out);
Status put(const char* name, const Tensor& target, const Tensor& value,
           std::span<const Tensor> indices, const IntList& axes, bool accumulate);

Status take_along_axis(const char* name, const Tensor& x, const Tensor& indices, int axis,
                       const Tensor& out);
Status put_along_axis(const char* name, const Tensor& target, const Tensor& indices,
                      const Tensor& updates, int axis, bool accumulate);

}  // namespace msjit::devices
