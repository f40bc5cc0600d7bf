// Values of an image at given places: what turning, shearing and perspective are made of.
#pragma once

#include "kernels/images/image.h"

namespace msjit::images {

// For each of `count` pixels its row and column in the source. With `fraction` they are in 32nds of
// a pixel, and four neighbours are weighted; otherwise the pixel itself is taken. Beyond the border
// lies `fill`, a value for each channel.
struct Places {
  const int64_t* rows;
  const int64_t* columns;
  int64_t count;
  bool fraction;
};
void sample(const uint8_t* source, const ImageShape& shape, const Places& places,
            const uint8_t* fill, uint8_t* result);

// Left to right.
void mirror(const uint8_t* source, const ImageShape& shape, uint8_t* result);

}  // namespace msjit::images
