#include "kernels/images/colors.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace msjit::images {
namespace {

template <int C, class T>
void look_up_channels(const uint8_t* source, int64_t pixels, const T* tables, T* result) {
  for (int64_t i = 0; i < pixels; ++i)
    for (int c = 0; c < C; ++c) result[i * C + c] = tables[c * 256 + source[i * C + c]];
}

struct Hsv {
  double hue, saturation, value;  // each from 0 to 1
};

void rgb_of(const Hsv& hsv, double (&rgb)[3]) {
  const double around = hsv.hue * 6.0, sector = std::floor(around), rest = around - sector;
  const double value = hsv.value, low = value * (1 - hsv.saturation);
  const double down = value * (1 - hsv.saturation * rest);
  const double up = value * (1 - hsv.saturation * (1 - rest));
  const auto put = [&](double red, double green, double blue) {
    rgb[0] = red, rgb[1] = green, rgb[2] = blue;
  };
  switch (static_cast<int>(sector)) {
    case 1: return put(down, value, low);
    case 2: return put(low, value, up);
    case 3: return put(low, down, value);
    case 4: return put(up, low, value);
    case 5: return put(value, low, down);
    default: return put(value, up, low);
  }
}

}  // namespace

template <class T>
void look_up(const uint8_t* source, int64_t pixels, int64_t channels, const T* tables,
             bool one_table, T* result) {
  if (one_table) return look_up_channels<1>(source, pixels * channels, tables, result);
  if (channels == 3) return look_up_channels<3>(source, pixels, tables, result);
  for (int64_t i = 0; i < pixels; ++i)
    for (int64_t c = 0; c < channels; ++c) *result++ = tables[c * 256 + *source++];
}
template void look_up(const uint8_t*, int64_t, int64_t, const uint8_t*, bool, uint8_t*);
template void look_up(const uint8_t*, int64_t, int64_t, const float*, bool, float*);

void gray(const uint8_t* rgb, int64_t pixels, uint8_t* result) {
  for (int64_t i = 0; i < pixels; ++i) result[i] = luminance(rgb + 3 * i);
}

void saturate(const uint8_t* rgb, int64_t pixels, double factor, uint8_t* result) {
  const auto share = static_cast<float>(factor), rest = static_cast<float>(1 - factor);
  constexpr int64_t kBlock =
      256;  // pixels: the luminances of a block first, so that the rest is one loop
  float middle[3 * kBlock];
  for (int64_t done = 0; done < pixels; done += kBlock, rgb += 3 * kBlock, result += 3 * kBlock) {
    const int64_t n = std::min(kBlock, pixels - done);
    for (int64_t i = 0; i < n; ++i)
      std::fill_n(middle + 3 * i, 3, rest * static_cast<float>(luminance(rgb + 3 * i)));
    for (int64_t i = 0; i < 3 * n; ++i)
      result[i] = byte_of(middle[i] + share * static_cast<float>(rgb[i]));
  }
}

namespace {

constexpr int kBits = 12, kHalf = 1 << (kBits - 1);

// whole / i with 12 bits of fraction, for i from 1 to 255; 0 for 0.
std::array<int, 256> shares(double whole) {
  std::array<int, 256> made{};
  for (int i = 1; i < 256; ++i)
    made[i] = static_cast<int>(std::nearbyint(whole * (1 << kBits) / i));
  return made;
}

}  // namespace

// As OpenCV's full-range conversions: the hue circle has 256 steps in the first conversion and 255
// in the way back.
void turn_hue(const uint8_t* rgb, int64_t pixels, double turn, uint8_t* result) {
  static const std::array<int, 256> of_value = shares(255), of_spread = shares(256 / 6.0);
  const int shift = static_cast<int>(turn * 255);
  for (int64_t i = 0; i < pixels; ++i, rgb += 3, result += 3) {
    const int red = rgb[0], green = rgb[1], blue = rgb[2];
    const int high = std::max({red, green, blue}), spread = high - std::min({red, green, blue});
    const int saturation = (spread * of_value[high] + kHalf) >> kBits;
    const int around = high == red     ? green - blue
                       : high == green ? blue - red + 2 * spread
                                       : red - green + 4 * spread;
    const int hue = (((around * of_spread[spread] + kHalf) >> kBits) + shift) & 255;
    double color[3];
    rgb_of({hue / 255.0, saturation / 255.0, high / 255.0}, color);
    for (int c = 0; c < 3; ++c) result[c] = byte_of(color[c] * 255);
  }
}

}  // namespace msjit::images
