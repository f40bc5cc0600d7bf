#include "kernels/cpu/slicing.h"

#include <algorithm>

#include "kernels/cpu/layout.h"

namespace msjit::slicing {

AxisRange normalize(int64_t size, int64_t begin, int64_t end, int64_t step) {
  if (step > 0) {
    begin = std::clamp<int64_t>(begin < 0 ? begin + size : begin, 0, size);
    end = std::clamp<int64_t>(end < 0 ? end + size : end, 0, size);
    return {begin, begin < end ? (end - begin - 1) / step + 1 : 0, step};
  }
  begin = std::clamp<int64_t>(begin, -1, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  // A huge negative step must not overflow when negated.
  int64_t stride = step == INT64_MIN ? INT64_MAX : -step;
  return {begin, end < begin ? (begin - end - 1) / stride + 1 : 0, step};
}

Status check(const InferCtx& ctx, const Shape& x, const AttrValue& begin, const AttrValue& end,
             const AttrValue& step) {
  size_t length = begin.as_list().size();
  if (end.as_list().size() != length || step.as_list().size() != length)
    return value_error("[{}] begin, end and step must have one length, got {}, {} and {}",
                       ctx.name(), length, end.as_list().size(), step.as_list().size());
  if (static_cast<int>(length) > x.rank())
    return value_error("[{}] too many slices, got {}, expected at most {}", ctx.name(), length,
                       x.rank());
  for (int64_t s : step.as_list())
    if (s == 0) return value_error("[{}] step must not be zero, got {}", ctx.name(), step.str());
  return {};
}

static AxisRange range_at(const Shape& x, uint32_t i, const AttrValue& begin, const AttrValue& end,
                          const AttrValue& step) {
  if (i >= begin.as_list().size()) return {0, x[i], 1};
  return normalize(x[i], begin.as_list()[i], end.as_list()[i], step.as_list()[i]);
}

Shape shape_of(const Shape& x, const AttrValue& begin, const AttrValue& end,
               const AttrValue& step) {
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) shape.push_back(range_at(x, i, begin, end, step).count);
  return shape;
}

Tensor view_of(const Tensor& x, const AttrValue& begin, const AttrValue& end,
               const AttrValue& step) {
  Shape shape, strides;
  int64_t offset = 0;
  for (int i = 0; i < x.rank(); ++i) {
    AxisRange range = range_at(x.shape(), i, begin, end, step);
    shape.push_back(range.count);
    // One element or none: the stride is free, and a huge step would overflow it.
    strides.push_back(range.count > 1 ? x.strides()[i] * range.step : x.strides()[i]);
    if (range.count > 0) offset += range.begin * x.strides()[i];
  }
  if (shape.numel() == 0) offset = 0;
  return Tensor::view(x, shape, strides, offset);
}

Result<Tensor> forwards(Tensor view, bool reversed) {
  if (!reversed) return view;
  MSJIT_TRY(Tensor copy, Tensor::empty(Meta(view.dtype(), false, view.shape(), view.device())));
  MSJIT_OK(copy_elements(view, copy));
  return copy;
}

bool is_reversed(const Shape& slice, const AttrValue& step) {
  const IntList& steps = step.as_list();
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i] < 0 && slice[static_cast<int>(i)] > 1) return true;
  return false;
}

Status write(const Tensor& target, const Tensor& value, const AttrValue& begin,
             const AttrValue& end, const AttrValue& step) {
  Tensor slot = view_of(target, begin, end, step);
  if (slot.numel() == 0) return {};
  MSJIT_TRY(Tensor converted, layout::cast_to(value, target.dtype()));
  MSJIT_TRY(Tensor source, layout::detached_from(converted, slot));
  copy_strided(layout::broadcast(source, slot.shape()), slot);
  return {};
}

}  // namespace msjit::slicing
