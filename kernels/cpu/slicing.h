// Basic slices, shared by slice, slice_grad, slice_update and slice_assign. Values are as Python's
// slice.indices() gives them. With a positive step, a negative begin or end counts from the back;
// both are clamped. Lists shorter than the rank leave the trailing axes whole.
#pragma once

#include "kernels/core/op.h"

namespace msjit::slicing {

struct AxisRange {
  int64_t begin = 0, count = 0, step = 1;
};
AxisRange normalize(int64_t size, int64_t begin, int64_t end, int64_t step);

// The lists must have equal lengths, at most the rank, and no zero steps.
Status check(const InferCtx& ctx, const Shape& x, const AttrValue& begin, const AttrValue& end,
             const AttrValue& step);
Shape shape_of(const Shape& x, const AttrValue& begin, const AttrValue& end, const AttrValue& step);
Tensor view_of(const Tensor& x, const AttrValue& begin, const AttrValue& end,
               const AttrValue& step);
// Copies a reversed slice, so that no tensor that an op returns has negative strides.
Result<Tensor> forwards(Tensor view, bool reversed);
bool is_reversed(const Shape& slice, const AttrValue& step);
// Writes `value`, broadcast and converted, into a slice of `target`. The two may overlap.
Status write(const Tensor& target, const Tensor& value, const AttrValue& begin,
             const AttrValue& end, const AttrValue& step);

}  // namespace msjit::slicing
