#include "kernels/images/resize.h"

#include <algorithm>
#include <vector>

namespace msjit::images {
namespace {

// Taps along a row as 32-bit numbers, which are faster to read. Places count bytes.
struct ShortTaps {
  ShortTaps(const Taps& taps, int64_t channels) : size(taps.size), count(taps.count) {
    for (int64_t i = 0; i < size * count; ++i) {
      places.push_back(static_cast<int32_t>(taps.places[i] * channels));
      weights.push_back(static_cast<int32_t>(taps.weights[i]));
    }
  }
  std::vector<int32_t> places, weights;
  int64_t size, count;
};

// Weighs the columns of one source row. C is the number of channels and N that of taps; 0 means
// any.
template <int C, int N>
void weigh_columns(const uint8_t* row, int64_t channels, const ShortTaps& taps, int32_t* out) {
  const int64_t n = C ? C : channels, count = N ? N : taps.count;
  const int32_t *places = taps.places.data(), *weights = taps.weights.data();
  for (int64_t x = 0; x < taps.size; ++x, places += count, weights += count, out += n)
    for (int64_t c = 0; c < n; ++c) {
      int32_t sum = 0;
      for (int64_t k = 0; k < count; ++k) sum += row[places[k] + c] * weights[k];
      out[c] = sum;
    }
}

void weigh_columns_of(const uint8_t* row, int64_t channels, const ShortTaps& taps, int32_t* out) {
  with_channels(channels, [&](auto c) {
    const auto weigh = taps.count == 2   ? weigh_columns<c, 2>
                       : taps.count == 4 ? weigh_columns<c, 4>
                                         : weigh_columns<c, 0>;
    weigh(row, channels, taps, out);
  });
}

void join_two_rows(const int32_t* first, const int32_t* second, const int64_t* weights, int64_t n,
                   uint8_t* out) {
  const auto a = static_cast<int32_t>(weights[0]), b = static_cast<int32_t>(weights[1]);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t sum = (((first[i] >> 4) * a) >> 16) + (((second[i] >> 4) * b) >> 16);
    out[i] = byte_of((sum + 2) >> 2);
  }
}

void join_rows(const int32_t* const* rows, const int64_t* weights, int64_t count, int64_t n,
               uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t sum = int64_t{1} << 21;
    for (int64_t k = 0; k < count; ++k) sum += rows[k][i] * weights[k];
    out[i] = byte_of(sum >> 22);
  }
}

void slide(const double* line, const Window& window, int64_t step, int64_t n, double* out) {
  std::fill(out, out + n, 0.0);
  for (int64_t k = 0; k < window.count; ++k) {
    const double weight = window.weights[k];
    for (int64_t i = 0; i < n; ++i) out[i] += weight * line[k * step + i];
  }
}

}  // namespace

void resize(const uint8_t* source, const ImageShape& shape, const Taps& rows, const Taps& columns,
            uint8_t* result) {
  const int64_t n = columns.size * shape.channels;
  const ShortTaps short_columns(columns, shape.channels);
  std::vector<int32_t> across(static_cast<size_t>(shape.height * n));
  std::vector<bool> ready(
      static_cast<size_t>(shape.height));  // rows that nothing needs are left out
  std::vector<const int32_t*> joined(static_cast<size_t>(rows.count));
  for (int64_t y = 0; y < rows.size; ++y) {
    for (int64_t k = 0; k < rows.count; ++k) {
      const int64_t place = rows.places[y * rows.count + k];
      int32_t* line = across.data() + place * n;
      if (!ready[static_cast<size_t>(place)])
        weigh_columns_of(source + place * shape.row(), shape.channels, short_columns, line);
      ready[static_cast<size_t>(place)] = true;
      joined[static_cast<size_t>(k)] = line;
    }
    const int64_t* weights = rows.weights + y * rows.count;
    if (rows.count == 2)
      join_two_rows(joined[0], joined[1], weights, n, result + y * n);
    else
      join_rows(joined.data(), weights, rows.count, n, result + y * n);
  }
}

void smooth(const uint8_t* source, const ImageShape& shape, const Window& rows,
            const Window& columns, uint8_t* result) {
  const int64_t n = shape.row(), channels = shape.channels;
  const int64_t wide = shape.width + columns.count - 1;
  std::vector<double> across(static_cast<size_t>(shape.height * n));
  std::vector<double> line(static_cast<size_t>(wide * channels));
  for (int64_t y = 0; y < shape.height; ++y) {
    const uint8_t* row = source + y * n;
    for (int64_t x = 0; x < wide; ++x)
      for (int64_t c = 0; c < channels; ++c)
        line[static_cast<size_t>(x * channels + c)] = row[columns.places[x] * channels + c];
    slide(line.data(), columns, channels, n, across.data() + y * n);
  }
  std::vector<double> sum(static_cast<size_t>(n));
  for (int64_t y = 0; y < shape.height; ++y) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int64_t k = 0; k < rows.count; ++k) {
      const double* from = across.data() + rows.places[y + k] * n;
      for (int64_t i = 0; i < n; ++i) sum[static_cast<size_t>(i)] += rows.weights[k] * from[i];
    }
    for (int64_t i = 0; i < n; ++i) result[y * n + i] = byte_of(sum[static_cast<size_t>(i)]);
  }
}

}  // namespace msjit::images
