#include "kernels/images/sample.h"

namespace msjit::images {
namespace {

struct Source {
  const uint8_t* data;
  const ImageShape& shape;
  const uint8_t* fill;
  const uint8_t* inner(int64_t row, int64_t column) const {
    return data + (row * shape.width + column) * shape.channels;
  }
  const uint8_t* at(int64_t row, int64_t column) const {
    const bool inside = row >= 0 && row < shape.height && column >= 0 && column < shape.width;
    return inside ? inner(row, column) : fill;
  }
};

// C is the number of channels, or 0 for any.
template <int C>
void weigh_four(const Source& source, int64_t row, int64_t column, uint8_t* out) {
  const auto down = static_cast<int32_t>(row & 31), right = static_cast<int32_t>(column & 31);
  row >>= 5;
  column >>= 5;
  const ImageShape& shape = source.shape;
  const int64_t n = C ? C : shape.channels;
  const uint8_t* corners[4];
  if (row >= 0 && row < shape.height - 1 && column >= 0 && column < shape.width - 1) {
    corners[0] = source.inner(row, column);
    corners[1] = corners[0] + n;
    corners[2] = corners[0] + shape.row();
    corners[3] = corners[2] + n;
  } else {
    for (int k = 0; k < 4; ++k) corners[k] = source.at(row + k / 2, column + k % 2);
  }
  const int32_t shares[] = {(32 - down) * (32 - right), (32 - down) * right, down * (32 - right),
                            down * right};
  for (int64_t c = 0; c < n; ++c) {
    int32_t sum = 512;
    for (int k = 0; k < 4; ++k) sum += corners[k][c] * shares[k];
    out[c] = static_cast<uint8_t>(sum >> 10);
  }
}

}  // namespace

void sample(const uint8_t* data, const ImageShape& shape, const Places& places, const uint8_t* fill,
            uint8_t* result) {
  const Source source{data, shape, fill};
  with_channels(shape.channels, [&](auto c) {
    const int64_t n = c ? c : shape.channels;
    for (int64_t i = 0; i < places.count; ++i, result += n) {
      if (places.fraction)
        weigh_four<c>(source, places.rows[i], places.columns[i], result);
      else
        std::copy_n(source.at(places.rows[i], places.columns[i]), n, result);
    }
  });
}

void mirror(const uint8_t* source, const ImageShape& shape, uint8_t* result) {
  with_channels(shape.channels, [&](auto c) {
    const int64_t n = c ? c : shape.channels;
    for (int64_t y = 0; y < shape.height; ++y, source += shape.row())
      for (int64_t x = shape.width - 1; x >= 0; --x, result += n)
        for (int64_t k = 0; k < n; ++k) result[k] = source[x * n + k];
  });
}

}  // namespace msjit::images
