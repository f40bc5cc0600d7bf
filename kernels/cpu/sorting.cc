#include "kernels/cpu/sorting.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit::sorting {
namespace {

template <class C>
struct Item {
  C value;
  int32_t at;
};

template <class C>
bool is_less(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) return a < b || (b != b && a == a);
  else return a < b;
}

template <class C>
void order_line(Item<C>* items, int64_t length, int64_t kept, bool descending) {
  auto before = [descending](const Item<C>& a, const Item<C>& b) {
    bool first = descending ? is_less(b.value, a.value) : is_less(a.value, b.value);
    bool second = descending ? is_less(a.value, b.value) : is_less(b.value, a.value);
    return first || (!second && a.at < b.at);
  };
  if (kept < length) {
    std::partial_sort(items, items + kept, items + length, before);
  } else {
    std::sort(items, items + length, before);
  }
}

template <class T>
void order_lines(const Tensor& x, const layout::AxisSplit& split, int64_t kept, bool descending,
                 T* values, int32_t* positions, int64_t begin, int64_t end) {
  using C = typename ComputeType<T>::type;
  auto items = std::make_unique_for_overwrite<Item<C>[]>(split.length);
  for (int64_t n = begin; n < end; ++n) {
    int64_t o = n / split.inner, i = n % split.inner;
    const T* from = x.data_as<T>() + o * split.length * split.inner + i;
    for (int64_t j = 0; j < split.length; ++j)
      items[j] = {static_cast<C>(from[j * split.inner]), static_cast<int32_t>(j)};
    order_line(items.get(), split.length, kept, descending);
    int64_t to = o * kept * split.inner + i;
    for (int64_t j = 0; j < kept; ++j) {
      values[to + j * split.inner] = static_cast<T>(items[j].value);
      positions[to + j * split.inner] = items[j].at;
    }
  }
}

}  // namespace

Status order(const Tensor& x, int axis, bool descending, const Tensor& values,
             const Tensor& positions) {
  if (values.numel() == 0) return {};
  MSJIT_TRY(Tensor own, x.to_contiguous());
  auto split = layout::split_at(x.shape(), axis);
  int64_t kept = layout::split_at(values.shape(), axis).length;
  dispatch_dtype(x.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(split.outer * split.inner, layout::grain_for(split.length * 8),
                 [&](int64_t begin, int64_t end) {
                   order_lines(own, split, kept, descending, values.data_as<T>(),
                               positions.data_as<int32_t>(), begin, end);
                 });
  });
  return {};
}

}  // namespace msjit::sorting
