// Images as data pipelines have them: bytes without gaps, in the order height, width, channel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace msjit::images {

struct ImageShape {
  int64_t height, width, channels;
  int64_t row() const { return width * channels; }
  int64_t pixels() const { return height * width; }
};

// Rounds to the nearest byte, halves to even.
template <class T>
inline uint8_t byte_of(T value) {
  const T inside = std::min(std::max(value, T{0}), T{255});
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<uint8_t>(static_cast<int32_t>(std::nearbyint(inside)));
  else
    return static_cast<uint8_t>(inside);
}

// Calls f with the number of channels as a compile-time constant if it is a common one, otherwise
// with 0.
template <class F>
inline void with_channels(int64_t channels, F&& f) {
  switch (channels) {
    case 1: return f(std::integral_constant<int, 1>());
    case 3: return f(std::integral_constant<int, 3>());
    case 4: return f(std::integral_constant<int, 4>());
    default: return f(std::integral_constant<int, 0>());
  }
}

}  // namespace msjit::images
