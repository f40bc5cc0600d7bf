// Colours of images: tables, luminance, saturation and hue.
#pragma once

#include "kernels/images/image.h"

namespace msjit::images {

// Replaces each byte by the value in a table of 256 entries. There is one table, or one per
// channel.
template <class T>
void look_up(const uint8_t* source, int64_t pixels, int64_t channels, const T* tables,
             bool one_table, T* result);

// Luminance of red, green and blue: the weights of ITU-R BT.601 in 15 bits, as in OpenCV.
inline uint8_t luminance(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 9798 + rgb[1] * 19235 + rgb[2] * 3735 + (1 << 14)) >> 15);
}
void gray(const uint8_t* rgb, int64_t pixels, uint8_t* result);
// Moves each colour away from the luminance of its pixel (factor above 1) or towards it.
void saturate(const uint8_t* rgb, int64_t pixels, double factor, uint8_t* result);
// Turns the hue of each colour by `turn`, where 1 is the full circle. As in OpenCV for bytes, the
// circle has 180 steps and saturation goes to 255.
void turn_hue(const uint8_t* rgb, int64_t pixels, double turn, uint8_t* result);

}  // namespace msjit::images
