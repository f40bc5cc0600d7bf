// Colours of images: tables, luminance, saturation and hue.
#pragma once

#include "kernels/images/image.h"

namespace msjit::images {

// The value of a table of 256 for each byte. There is one table, or one for each channel.
template <class T>
void look_up(const uint8_t* source, int64_t pixels, int64_t channels, const T* tables,
             bool one_table, T* result);

// Luminance of red, green and blue: weights of ITU-R BT.601 in 15 bits, as OpenCV has them.
inline uint8_t luminance(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 9798 + rgb[1] * 19235 + rgb[2] * 3735 + (1 << 14)) >> 15);
}
void gray(const uint8_t* rgb, int64_t pixels, uint8_t* result);
// Away from the luminance of each pixel (factor above 1) or towards it.
void saturate(const uint8_t* rgb, int64_t pixels, double factor, uint8_t* result);
// Each colour's hue further by `turn`, of a circle of 1. As OpenCV has it in bytes, the circle has
// 180 steps and saturation 255.
void turn_hue(const uint8_t* rgb, int64_t pixels, double turn, uint8_t* result);

}  // namespace msjit::images
