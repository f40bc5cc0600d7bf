#include "kernels/cpu/sorting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "kernels/cpu/layout.h"
#include "kernels/cpu/parallel.h"

namespace msjit::sorting {
namespace {

// An unsigned number that orders like the values, NaN last.
template <class T>
auto order_key(T value) {
  if constexpr (std::is_same_v<T, double>) {
    uint64_t bits = std::bit_cast<uint64_t>(value != value ? std::abs(value) : value + 0.0);
    return bits >> 63 ? ~bits : bits | uint64_t{1} << 63;
  } else if constexpr (!std::is_integral_v<T>) {
    float wide = static_cast<float>(value);
    uint32_t bits = std::bit_cast<uint32_t>(wide != wide ? std::abs(wide) : wide + 0.0f);
    return bits >> 31 ? ~bits : bits | uint32_t{1} << 31;
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
  } else {
    return static_cast<uint32_t>(static_cast<int32_t>(value)) ^ uint32_t { 1 } << 31;
  }
}

// Key and position in one comparable value, so that ties keep their order.
struct Wide {
  uint64_t key;
  uint32_t at;
  friend bool operator<(const Wide& a, const Wide& b) {
    return a.key != b.key ? a.key < b.key : a.at < b.at;
  }
};
inline uint64_t make_item(uint32_t key, uint32_t at) { return uint64_t{key} << 32 | at; }
inline Wide make_item(uint64_t key, uint32_t at) { return {key, at}; }
inline uint32_t position(uint64_t item) { return static_cast<uint32_t>(item); }
inline uint32_t position(const Wide& item) { return item.at; }

template <class T>
void order_lines(const Tensor& x, const layout::AxisSplit& split, int64_t kept, bool descending,
                 T* values, int32_t* positions, int64_t begin, int64_t end) {
  using Key = decltype(order_key(T()));
  using Item = decltype(make_item(Key(), 0u));
  Key flip = descending ? ~Key(0) : Key(0);
  auto items = std::make_unique_for_overwrite<Item[]>(split.length);
  for (int64_t n = begin; n < end; ++n) {
    int64_t o = n / split.inner, i = n % split.inner;
    const T* from = x.data_as<T>() + o * split.length * split.inner + i;
    for (int64_t j = 0; j < split.length; ++j)
      items[j] = make_item(order_key(from[j * split.inner]) ^ flip, static_cast<uint32_t>(j));
    if (kept < split.length) {
      std::partial_sort(items.get(), items.get() + kept, items.get() + split.length);
    } else {
      std::sort(items.get(), items.get() + split.length);
    }
    int64_t to = o * kept * split.inner + i;
    for (int64_t j = 0; j < kept; ++j) {
      uint32_t at = position(items[j]);
      values[to + j * split.inner] = from[at * split.inner];
      positions[to + j * split.inner] = static_cast<int32_t>(at);
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
