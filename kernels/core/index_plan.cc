#include "kernels/core/index_plan.h"

#include <algorithm>

#include "kernels/core/words.h"

namespace msjit {
namespace {

using Kind = IndexItem::Kind;

int64_t clamp(int64_t v, int64_t low, int64_t high) { return std::min(std::max(v, low), high); }

// Python's slice.indices(): begin, end and step on a dimension of `size`.
Status add_slice(const IndexItem& item, int64_t size, IndexPlan* plan) {
  if (item.step == 0) return value_error("[getitem] slice step, got 0, expected a non-zero int");
  const bool forward = item.step > 0;
  const int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  auto bound = [&](int64_t v) { return clamp(v < 0 ? v + size : v, low, high); };
  const int64_t begin = item.has_start ? bound(item.start) : (forward ? 0 : size - 1);
  const int64_t end = item.has_stop ? bound(item.stop) : (forward ? size : -1);
  // A step may be any int64, so nothing is added to it or to its negative.
  const int64_t span = forward ? end - begin : begin - end;
  const int64_t stride = forward ? item.step : -std::max<int64_t>(item.step, -INT64_MAX);
  const int64_t count = span > 0 ? (span - 1) / stride + 1 : 0;
  plan->begin.push_back(begin);
  plan->end.push_back(count == 0 ? begin : end);  // -1 with a negative step: down to element 0
  plan->step.push_back(item.step);
  plan->reversed |= !forward && count > 1;
  plan->slices |= begin != 0 || end != size || item.step != 1;
  plan->shape.push_back(count);
  return {};
}

Status add_int(int64_t index, int dim, int64_t size, IndexPlan* plan) {
  const int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    return index_error("[getitem] index of dimension {}, got {}, expected one in [{}, {})", dim,
                       index, -size, size);
  plan->begin.push_back(at);
  plan->end.push_back(at + 1);
  plan->step.push_back(1);
  plan->slices |= size != 1;
  plan->squeeze.push_back(dim);
  return {};
}

// Counts the dimensions that the items use. One Ellipsis stands for the rest.
Status check_counts(const Shape& shape, std::span<const IndexItem> items, int* spare) {
  int taken = 0, ellipses = 0, added = 0, dropped = 0;
  for (const IndexItem& item : items) {
    taken += item.kind == Kind::kInt || item.kind == Kind::kSlice || item.kind == Kind::kTensor;
    ellipses += item.kind == Kind::kEllipsis;
    added += item.kind == Kind::kNewAxis;
    dropped += item.kind == Kind::kInt;
  }
  if (ellipses > 1)
    return index_error("[getitem] number of ellipses, got {}, expected at most 1", ellipses);
  if (taken > shape.rank())
    return index_error("[getitem] number of indices, got {}, expected at most {}", taken,
                       shape.rank());
  if (shape.rank() - dropped + added > kMaxRank)
    return value_error("[getitem] dimensions of the result, got {}, expected at most {}",
                       shape.rank() - dropped + added, kMaxRank);
  *spare = shape.rank() - taken;
  return {};
}

// Where the dimensions of the index tensors go in the result. If all indices (tensors and integers)
// are adjacent, they go there; otherwise they go in front.
int place_result(std::span<const IndexItem> items, const IndexPlan& plan) {
  auto is_index = [](const IndexItem& i) {
    return i.kind == Kind::kTensor || i.kind == Kind::kInt;
  };
  size_t first = 0, last = items.size() - 1;
  while (!is_index(items[first])) ++first;
  while (!is_index(items[last])) --last;
  for (size_t i = first; i <= last; ++i)
    if (!is_index(items[i])) return 0;
  int stay = 0;
  for (uint32_t d = 0; d < plan.tensor_of_dim.size() && plan.tensor_of_dim[d] < 0; ++d) ++stay;
  return stay;
}

}  // namespace

Result<IndexPlan> plan_index(const Shape& shape, std::span<const IndexItem> items) {
  IndexPlan plan;
  int spare = 0;
  MSJIT_OK(check_counts(shape, items, &spare));
  int dim = 0;
  auto whole = [&]() -> Status {
    MSJIT_OK(add_slice(IndexItem{}, shape[dim++], &plan));
    plan.tensor_of_dim.push_back(-1);
    return {};
  };
  for (const IndexItem& item : items) {
    switch (item.kind) {
      case Kind::kInt:
        MSJIT_OK(add_int(item.start, dim, shape[dim], &plan));
        ++dim;
        break;
      case Kind::kSlice:
        MSJIT_OK(add_slice(item, shape[dim++], &plan));
        plan.tensor_of_dim.push_back(-1);
        break;
      case Kind::kNewAxis:
        plan.new_axes.push_back(plan.shape.rank());
        plan.shape.push_back(1);
        plan.tensor_of_dim.push_back(-1);
        break;
      case Kind::kEllipsis:
        for (; spare > 0; --spare) MSJIT_OK(whole());
        break;
      case Kind::kTensor:
        MSJIT_OK(whole());
        plan.tensor_of_dim.back() = item.tensor;
        plan.advanced = true;
        break;
    }
  }
  while (dim < shape.rank()) MSJIT_OK(whole());
  if (plan.advanced) plan.result_axis = place_result(items, plan);
  return plan;
}

Val apply_basic_index(const Val& x, const IndexPlan& plan) {
  Val out = x;
  if (plan.slices) out = words::slice(out, plan.begin, plan.end, plan.step);
  if (!plan.squeeze.empty()) out = words::squeeze(out, plan.squeeze);
  for (int64_t axis : plan.new_axes) out = words::expand_dims(out, axis);
  return out;
}

}  // namespace msjit
