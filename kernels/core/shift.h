// Elements moved by one place along an axis, for gradients of recurrences.
#pragma once

#include "kernels/core/words.h"

namespace msjit {

// Element k becomes x[k - by], with `by` 1 or -1; `fill` takes the place that is left free.
inline Val shifted(const Val& x, int64_t axis, int by, double fill) {
  const Shape& shape = x.meta().shape;
  const int at = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
  const int64_t size = shape[at];
  if (size == 0) return x;
  IntList begin, end, step;
  for (int i = 0; i < shape.rank(); ++i) {
    begin.push_back(0);
    end.push_back(shape[i]);
    step.push_back(1);
  }
  const auto part = [&](int64_t from, int64_t to) {
    begin[at] = from, end[at] = to;
    return words::slice(x, begin, end, step);
  };
  const Val free = words::full_like(words::stop_gradient(part(0, 1)), fill);
  const Val kept = by > 0 ? part(0, size - 1) : part(1, size);
  const Val parts[2] = {by > 0 ? free : kept, by > 0 ? kept : free};
  return words::concat(x.sink(), parts, at);
}

}  // namespace msjit
