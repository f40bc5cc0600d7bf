// Basic slices shared by slice, slice_grad, slice_update and slice_assign. Values stand as Python's
// slice.indices() gives them; a negative begin or end counts from the back when the step is
// positive, and both are clamped. Lists shorter than the rank leave the trailing axes whole.
#pragma once

#include "kernels/core/op.h"

namespace msjit::slicing {

struct AxisRange {
  int64_t begin = 0, count = 0, step = 1;
};
AxisRange normalize(int64_t size, int64_t begin, int64_t end, int64_t step);

// Lists of equal length, at most the rank, without zero steps.
Status check(const InferCtx& ctx, const Shape& x, const AttrValue& begin, const AttrValue& end,
             const AttrValue& step);
Shape shape_of(const Shape& x, const AttrValue& begin, const AttrValue& end, const AttrValue& step);
Tensor view_of(const Tensor& x, const AttrValue& begin, const AttrValue& end,
               const AttrValue& step);
// A reversed slice is copied, so that no tensor an op hands on has negative strides.
Result<Tensor> forwards(Tensor view, bool reversed);
bool is_reversed(const Shape& slice, const AttrValue& step);
// Writes `value`, broadcast and converted, into a slice of `target`; they may overlap.
Status write(const Tensor& target, const Tensor& value, const AttrValue& begin,
             const AttrValue& end, const AttrValue& step);

}  // namespace msjit::slicing
