// Samples an image at given places; rotation, shearing and perspective are made of this.
#pragma once

#include "kernels/images/image.h"

namespace msjit::images {

// For each of `count` pixels, its row and column in the source. With `fraction` they are in 32nds
// of a pixel, and four neighbours are weighted; otherwise one pixel is taken. Outside the image the
// value is `fill`, one per channel.
struct Places {
  const int64_t* rows;
  const int64_t* columns;
  int64_t count;
  bool fraction;
};
void sample(const uint8_t* source, const ImageShape& shape, const Places& places,
            const uint8_t* fill, uint8_t* result);

// Swaps left and right.
void mirror(const uint8_t* source, const ImageShape& shape, uint8_t* result);

}  // namespace msjit::images
