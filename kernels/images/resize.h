// Resizing and smoothing of images. Each value of the result is a weighted sum, first along the
// columns and then along the rows.
#pragma once

#include "kernels/images/image.h"

namespace msjit::images {

// One axis of the result. Each of its `size` places reads `count` places of the source, all inside
// it, with one weight each.
struct Taps {
  const int64_t* places;
  const int64_t* weights;  // in 11 fraction bits
  int64_t size, count;
};
// The arithmetic of OpenCV's resize of bytes. With two taps the sum along a column is rounded in
// two steps of 4 and 16 bits, otherwise once.
void resize(const uint8_t* source, const ImageShape& shape, const Taps& rows, const Taps& columns,
            uint8_t* result);

// A window that slides along one axis. `places` has size + count - 1 places of the source, all
// inside it: the axis with the padding at both ends.
struct Window {
  const int64_t* places;
  const double* weights;
  int64_t count;
};
void smooth(const uint8_t* source, const ImageShape& shape, const Window& rows,
            const Window& columns, uint8_t* result);

}  // namespace msjit::images
