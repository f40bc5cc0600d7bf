#include "kernels/cpu/int8_loops.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <vector>

#include "kernels/cpu/packed.h"
#include "kernels/cpu/parallel.h"

namespace msjit::int8_loops {
namespace {

using onednn::Window2d;

// A tile of results: kPixels by kChannels, two vectors a pixel.
constexpr int64_t kPixels = 5, kChannels = 16;           // beside them three registers stay free
constexpr int64_t kChunk = 8;                            // tiles of one step of a parallel loop
constexpr int64_t kBlockElements = int64_t{128} * 1024;  // of unfolded pixels: a share of L2
constexpr int64_t kOwnWeight = int64_t{512} * 1024;      // numbers that a thread's caches hold
constexpr int kLayouts = 1 << 21;                        // of packed weights, from here on

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// One group of a convolution as a product: rows are output pixels, a row holds what one window
// reads, in the order (kernel row, kernel column, channel).
struct Product {
  int64_t in, out;        // channels of a group
  int64_t taps, depth;    // depth: numbers of a row, with a zero behind an odd count
  int64_t pixels, plane;  // of the batch, of one image
  int64_t panels;         // blocks of kChannels output channels of a group
  explicit Product(const Window2d& w)
      : in(w.in_channels / w.groups),
        out(w.out_channels / w.groups),
        taps(w.kernel[0] * w.kernel[1]),
        depth(round_up(in * taps, 2)),
        pixels(w.batch * w.out[0] * w.out[1]),
        plane(w.out[0] * w.out[1]),
        panels(round_up(out, kChannels) / kChannels) {}
  int64_t panel_size() const { return depth * kChannels; }
};

bool is_depthwise(const Window2d& w) {
  return w.groups > 1 && w.groups == w.in_channels && w.groups == w.out_channels;
}

// -- Weights

// Panels of 16-bit numbers: group, panel, pair of depths, channel, member of the pair.
void pack_panels(const Window2d& w, const int8_t* weight, int16_t* packed) {
  const Product p(w);
  parallel_for(w.groups * p.panels, std::max<int64_t>(1, kElementGrain / p.panel_size()),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   int16_t* const panel = packed + i * p.panel_size();
                   std::fill_n(panel, p.panel_size(), int16_t{0});
                   const int64_t first = i % p.panels * kChannels;
                   const int64_t count = std::min(kChannels, p.out - first);
                   for (int64_t o = 0; o < count; ++o) {
                     const int8_t* from =
                         weight + (i / p.panels * p.out + first + o) * p.in * p.taps;
                     for (int64_t c = 0; c < p.in; ++c)
                       for (int64_t tap = 0; tap < p.taps; ++tap) {
                         const int64_t k = tap * p.in + c;
                         panel[(k / 2 * kChannels + o) * 2 + k % 2] = *from++;
                       }
                   }
                 }
               });
}

// Of depthwise weights: block of kChannels channels, tap, channel.
void pack_taps(const Window2d& w, const int8_t* weight, int16_t* packed) {
  const int64_t taps = w.kernel[0] * w.kernel[1];
  std::fill_n(packed, round_up(w.groups, kChannels) * taps, int16_t{0});
  for (int64_t c = 0; c < w.groups; ++c)
    for (int64_t tap = 0; tap < taps; ++tap)
      packed[(c / kChannels * taps + tap) * kChannels + c % kChannels] = *weight++;
}

// The number of a packed layout, the same in all threads.
int layout_of(const Window2d& w) {
  using Shape4 = std::array<int64_t, 4>;
  static std::mutex mutex;
  static auto* known = new std::vector<Shape4>;
  const Shape4 shape{w.out_channels, w.in_channels, w.groups, w.kernel[0] * w.kernel[1]};
  std::lock_guard lock(mutex);
  const auto found = std::find(known->begin(), known->end(), shape);
  const auto index = static_cast<int>(found - known->begin());
  if (found == known->end()) known->push_back(shape);
  return kLayouts + index;
}

// The weight packed, kept with its storage once it has been used often enough.
Result<Storage> packed_weight(const Window2d& w, const Tensor& weight) {
  const int layout = layout_of(w);
  const uint64_t version = weight.storage()->version;
  packed::Found found = packed::find(weight, static_cast<uint64_t>(layout) << 32);
  if (found.copy) return std::move(found.copy);
  const Product p(w);
  const int64_t numbers = is_depthwise(w) ? round_up(w.groups, kChannels) * p.taps
                                          : w.groups * p.panels * p.panel_size();
  MSJIT_TRY(Storage made, Storage::allocate(static_cast<size_t>(numbers) * sizeof(int16_t)));
  const auto* const from = weight.data_as<int8_t>();
  auto* const to = static_cast<int16_t*>(made->data);
  is_depthwise(w) ? pack_taps(w, from, to) : pack_panels(w, from, to);
  if (found.due) packed::keep(weight, static_cast<uint64_t>(layout) << 32, layout, version, made);
  return made;
}

// -- Results

// Scales sums of output channels `first` ... of the pixels `pixel` ... and stores them.
class Writer {
 public:
  Writer(const Window2d& w, const Operands& o)
      : scale_(o.scale),
        bias_(o.bias),
        y_(static_cast<float*>(o.y.data)),
        channels_(w.out_channels),
        plane_(w.out[0] * w.out[1]),
        last_(o.y.channels_last) {}

  void write(int64_t pixel, int64_t pixels, int64_t first, int64_t count,
             const int32_t* sums) const {
    alignas(32) float values[kPixels * kChannels], scale[kChannels] = {}, bias[kChannels] = {};
    std::copy_n(scale_ + first, count, scale);
    if (bias_) std::copy_n(bias_ + first, count, bias);
    for (int64_t i = 0; i < pixels; ++i)
      for (int c = 0; c < kChannels; ++c)
        values[i * kChannels + c] =
            static_cast<float>(sums[i * kChannels + c]) * scale[c] + bias[c];
    if (last_) {
      for (int64_t i = 0; i < pixels; ++i)
        std::memcpy(y_ + (pixel + i) * channels_ + first, values + i * kChannels,
                    static_cast<size_t>(count) * sizeof(float));
      return;
    }
    for (int64_t i = 0; i < pixels;) {  // the pixels of one image after those of another
      const int64_t at = pixel + i, end = std::min(pixels, i + plane_ - at % plane_);
      float* const to = y_ + (at / plane_ * channels_ + first) * plane_ + at % plane_ - i;
      for (int64_t c = 0; c < count; ++c)
        for (int64_t k = i; k < end; ++k) to[c * plane_ + k] = values[k * kChannels + c];
      i = end;
    }
  }

 private:
  const float *scale_, *bias_;
  float* y_;
  int64_t channels_, plane_;
  bool last_;
};

// -- Products

// One output pixel and where its window starts.
struct Place {
  int64_t image, row, column;
  Place(const Window2d& w, int64_t pixel)
      : image(pixel / (w.out[0] * w.out[1])),
        row(pixel / w.out[1] % w.out[0] * w.stride[0] - w.pad_begin[0]),
        column(pixel % w.out[1] * w.stride[1] - w.pad_begin[1]) {}
};

template <class Byte>
__m256i widened(const Byte* bytes) {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return std::is_signed_v<Byte> ? _mm256_cvtepi8_epi16(all) : _mm256_cvtepu8_epi16(all);
}

template <class Byte>
void widen(const Byte* from, int64_t count, int16_t* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i];
}

// Reads and writes whole vectors, the last one beyond `count`.
template <class Byte>
void widen_loosely(const Byte* from, int64_t count, int16_t* to) {
  for (int64_t i = 0; i < count; i += kChannels)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), widened(from + i));
}

// The images that rows are unfolded from.
template <class Byte>
struct Source {
  const Window2d& w;
  const Product& p;
  const Byte* x;
  const Byte* end;

  const Byte* line(const Place& at, int64_t row) const {
    return x + (at.image * w.in[0] + row) * w.in[1] * w.in_channels;
  }
  // Whether neighbouring taps lie side by side in memory.
  bool joins() const { return w.groups == 1 && w.dilation[1] == 1; }
  bool is_inside(const Place& at) const {
    return at.row >= 0 && at.row + (w.kernel[0] - 1) * w.dilation[0] < w.in[0] && at.column >= 0 &&
           at.column + w.kernel[1] <= w.in[1];
  }
};

// Without padding. What is written beyond a line the next ones write again.
template <class Byte>
void unfold_inside(const Source<Byte>& s, const Place& at, int16_t* row) {
  const int64_t count = s.w.kernel[1] * s.p.in, whole = round_up(count, kChannels);
  row[s.p.depth - 1] = 0;  // behind an odd count
  int16_t* const end = row + s.w.kernel[0] * count;
  for (int64_t i = 0; i < s.w.kernel[0]; ++i, row += count) {
    const Byte* const from = s.line(at, at.row + i * s.w.dilation[0]) + at.column * s.p.in;
    if (end - row >= whole && s.end - from >= whole)
      widen_loosely(from, count, row);
    else
      widen(from, count, row);
  }
}

// The row of one pixel: what its window reads of a group's channels, padding as zeros.
template <class Byte>
void unfold(const Source<Byte>& s, int64_t pixel, int64_t group, int16_t* row) {
  const Window2d& w = s.w;
  const Place at(w, pixel);
  if (s.joins() && s.is_inside(at)) return unfold_inside(s, at, row);
  std::fill_n(row, s.p.depth, int16_t{0});
  for (int64_t i = 0; i < w.kernel[0]; ++i) {
    const int64_t h = at.row + i * w.dilation[0];
    if (h < 0 || h >= w.in[0]) continue;
    const Byte* const line = s.line(at, h) + group * s.p.in;
    int16_t* const to = row + i * w.kernel[1] * s.p.in;
    for (int64_t j = 0; j < w.kernel[1]; ++j) {
      const int64_t v = at.column + j * w.dilation[1];
      if (v >= 0 && v < w.in[1]) widen(line + v * w.in_channels, s.p.in, to + j * s.p.in);
    }
  }
}

// kPixels rows times a panel.
void multiply_tile(const Product& p, const int16_t* rows, const int16_t* panel, int32_t* sums) {
  __m256i total[kPixels][2] = {};
  for (int64_t k = 0; k < p.depth; k += 2, panel += 2 * kChannels) {
    const __m256i left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(panel));
    const __m256i right = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(panel + kChannels));
#pragma GCC unroll 8
    for (int i = 0; i < kPixels; ++i) {
      int32_t pair;
      std::memcpy(&pair, rows + i * p.depth + k, sizeof(pair));
      const __m256i x = _mm256_set1_epi32(pair);
      total[i][0] = _mm256_add_epi32(total[i][0], _mm256_madd_epi16(x, left));
      total[i][1] = _mm256_add_epi32(total[i][1], _mm256_madd_epi16(x, right));
    }
  }
  std::memcpy(sums, total, sizeof(total));
}

// The pixels first ... of a group, whose unfolded rows are there.
void multiply_block(const Product& p, const Writer& writer, int64_t group, int64_t first,
                    int64_t count, const int16_t* rows, const int16_t* panels) {
  const int64_t tiles = round_up(count, kPixels) / kPixels;
  const int64_t chunks = round_up(tiles, kChunk) / kChunk;
  const int64_t cost = kChunk * kPixels * p.depth;  // of a step; kChannels products an operation
  const int64_t grain = std::max<int64_t>(1, kElementGrain / cost);
  parallel_for(p.panels * chunks, grain, [&](int64_t begin, int64_t end) {
    alignas(32) int32_t sums[kPixels * kChannels];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t panel = i / chunks, channel = panel * kChannels;
      const int64_t last = std::min(tiles, (i % chunks + 1) * kChunk);
      for (int64_t tile = i % chunks * kChunk; tile < last; ++tile) {
        const int64_t pixel = tile * kPixels;
        multiply_tile(p, rows + pixel * p.depth, panels + panel * p.panel_size(), sums);
        writer.write(first + pixel, std::min(kPixels, count - pixel), group * p.out + channel,
                     std::min(kChannels, p.out - channel), sums);
      }
    }
  });
}

// The pixels from ... to: a block after another is unfolded into `rows` and multiplied.
template <class Byte>
void multiply_pixels(const Source<Byte>& s, const Writer& writer, const int16_t* panels,
                     int64_t from, int64_t to, int64_t block, int16_t* rows) {
  const Product& p = s.p;
  const int64_t grain = std::max<int64_t>(1, kElementGrain / p.depth);
  for (int64_t group = 0; group < s.w.groups; ++group, panels += p.panels * p.panel_size())
    for (int64_t first = from; first < to; first += block) {
      const int64_t count = std::min(block, to - first);
      parallel_for(count, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) unfold(s, first + i, group, rows + i * p.depth);
      });
      // The last tile's rows that stand for no pixel.
      std::fill_n(rows + count * p.depth, (round_up(count, kPixels) - count) * p.depth, int16_t{0});
      multiply_block(p, writer, group, first, count, rows, panels);
    }
}

// Whether threads take pixels of their own, so that they meet once; else they share each block.
bool apart(const Product& p, int64_t groups) {
  const int64_t weight = groups * p.panels * p.panel_size();
  return p.pixels >= 2 * num_threads() * kChunk * kPixels &&  // enough for all
         weight <= kOwnWeight && p.pixels * weight / kChannels >= 4 * kElementGrain;
}

template <class Byte>
Status by_products(const Window2d& w, const Operands& o, const int16_t* panels) {
  const Product p(w);
  const int64_t parts = apart(p, w.groups) ? num_threads() : 1;
  const int64_t share = std::max<int64_t>(kBlockElements / p.depth, kChunk * kPixels);
  const int64_t block =
      round_up(std::min(p.pixels, share * (parts > 1 ? 1 : num_threads())), kPixels);
  MSJIT_TRY(const Storage memory,
            Storage::allocate(static_cast<size_t>(parts * block * p.depth) * sizeof(int16_t)));
  auto* const rows = static_cast<int16_t*>(memory->data);
  const auto* const x = static_cast<const Byte*>(o.x);
  const Source<Byte> source{w, p, x, x + w.batch * w.in[0] * w.in[1] * w.in_channels};
  const Writer writer(w, o);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part)
      multiply_pixels(source, writer, panels, p.pixels * part / parts,
                      p.pixels * (part + 1) / parts, block, rows + part * block * p.depth);
  });
  return {};
}

// -- Depthwise

// What one window sums of kChannels channels, of which `count` are there.
template <class Byte>
void sum_window(const Window2d& w, const Byte* x, const Place& at, int64_t count,
                const int16_t* taps, int32_t* sums) {
  __m256i low = {}, high = {};
  for (int64_t i = 0; i < w.kernel[0]; ++i) {
    const int64_t h = at.row + i * w.dilation[0];
    if (h < 0 || h >= w.in[0]) continue;
    const Byte* const line = x + (at.image * w.in[0] + h) * w.in[1] * w.in_channels;
    for (int64_t j = 0; j < w.kernel[1]; ++j) {
      const int64_t v = at.column + j * w.dilation[1];
      if (v < 0 || v >= w.in[1]) continue;
      const Byte* from = line + v * w.in_channels;
      Byte rest[kChannels] = {};  // nothing behind the last channel is read
      if (count < kChannels) from = std::copy_n(from, count, rest) - count;
      const auto* const tap =
          reinterpret_cast<const __m256i*>(taps + (i * w.kernel[1] + j) * kChannels);
      // A product of a byte and a weight fits 16 bits.
      const __m256i products = _mm256_mullo_epi16(widened(from), _mm256_loadu_si256(tap));
      low = _mm256_add_epi32(low, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(products)));
      high = _mm256_add_epi32(high, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(products, 1)));
    }
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + kChannels / 2), high);
}

template <class Byte>
Status by_channels(const Window2d& w, const Operands& o, const int16_t* taps) {
  const Product p(w);
  const Writer writer(w, o);
  const auto* const x = static_cast<const Byte*>(o.x);
  const int64_t tiles = round_up(p.pixels, kPixels) / kPixels;
  const int64_t cost = std::max<int64_t>(1, kPixels * w.groups * p.taps / 8);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / cost);
  parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
    alignas(32) int32_t sums[kPixels * kChannels];
    for (int64_t tile = begin; tile < end; ++tile)
      for (int64_t c = 0; c < w.groups; c += kChannels) {
        const int64_t first = tile * kPixels, pixels = std::min(kPixels, p.pixels - first);
        const int64_t count = std::min(kChannels, w.groups - c);
        for (int64_t i = 0; i < pixels; ++i)
          sum_window(w, x + c, Place(w, first + i), count, taps + c * p.taps, sums + i * kChannels);
        writer.write(first, pixels, c, count, sums);
      }
  });
  return {};
}

template <class Byte>
Status convolve_as(const Window2d& w, const Operands& o) {
  MSJIT_TRY(const Storage packed, packed_weight(w, o.weight));
  const auto* const numbers = static_cast<const int16_t*>(packed->data);
  return is_depthwise(w) ? by_channels<Byte>(w, o, numbers) : by_products<Byte>(w, o, numbers);
}

}  // namespace

Status convolve(const Window2d& w, const Operands& o) {
  return o.is_unsigned ? convolve_as<uint8_t>(w, o) : convolve_as<int8_t>(w, o);
}

// The rows are the pixels of an image one pixel wide.
Status multiply(const onednn::Int8Product& p, const void* x, const Tensor& weight,
                const float* scale, const float* bias, float* out) {
  const Window2d w{1,      p.inner, p.cols, 1,      {p.rows, 1}, {p.rows, 1},
                   {1, 1}, {1, 1},  {1, 1}, {0, 0}, {0, 0}};
  return convolve(w, {x, p.is_unsigned, weight, scale, bias, {out, true}});
}

}  // namespace msjit::int8_loops
