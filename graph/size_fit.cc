#include "graph/size_fit.h"

#include <numeric>

namespace msjit {
namespace {

// A value of the function where one symbol differs from its hint.
struct Sample {
  int64_t size, value;
};
struct Dependence {
  int symbol;
  int64_t hint;
  std::vector<Sample> samples;
};

SizeExpr binary(SizeOp op, const SizeExpr& a, const SizeExpr& b) {
  return a && b ? size_binary(op, a, b) : nullptr;
}

// Sizes one apart show where a value is rounded. Multiples of the hint stay divisible by what
// divides the hint.
std::vector<Sample> take_samples(std::vector<int64_t> sizes, int symbol, const SizeFunction& f) {
  std::vector<Sample> samples;
  const int64_t hint = sizes[symbol];
  for (int64_t size : {hint + 1, hint + 2, hint + 3, hint + 4, 2 * hint, 3 * hint}) {
    int64_t value = 0;
    sizes[symbol] = size;
    if (size != hint && f(sizes, &value)) samples.push_back({size, value});
  }
  return samples;
}

bool slope_of(const Dependence& d, int64_t base, int64_t* slope) {
  const Sample& first = d.samples.front();
  if ((first.value - base) % (first.size - d.hint)) return false;
  *slope = (first.value - base) / (first.size - d.hint);
  for (const Sample& s : d.samples)
    if (s.value != base + *slope * (s.size - d.hint)) return false;
  return true;
}

SizeExpr scaled(int symbol, int64_t factor) {
  return binary(SizeOp::kMul, size_symbol(symbol), size_const(factor));
}

// (p * s + r) // q
SizeExpr rounded(const Dependence& d, int64_t base) {
  for (int64_t q : {2, 3, 4, 8, 16})
    for (int64_t p = 1; p <= 2 * q; ++p)
      for (int64_t r = base * q - p * d.hint, end = r + q; r < end; ++r) {
        SizeExpr guess = binary(SizeOp::kAdd, scaled(d.symbol, p), size_const(r));
        guess = binary(SizeOp::kFloorDiv, guess, size_const(q));
        bool fits = guess != nullptr;
        std::vector<int64_t> sizes(static_cast<size_t>(d.symbol) + 1);
        for (const Sample& s : d.samples) {
          int64_t value = 0;
          sizes[d.symbol] = s.size;
          fits = fits && evaluate(*guess, sizes, &value) && value == s.value;
        }
        if (fits) return guess;
      }
  return nullptr;
}

SizeExpr sum(const std::vector<Dependence>& all, int64_t base) {
  SizeExpr total;
  int64_t rest = base;
  for (const Dependence& d : all) {
    int64_t slope = 0;
    if (!slope_of(d, base, &slope)) return nullptr;
    rest -= slope * d.hint;
    SizeExpr term = scaled(d.symbol, slope);
    total = total ? binary(SizeOp::kAdd, total, term) : term;
  }
  if (rest < 0) return binary(SizeOp::kSub, total, size_const(-rest));
  return binary(SizeOp::kAdd, total, size_const(rest));
}

// The power of a symbol in a product, or 0.
int exponent(const Dependence& d, int64_t base) {
  for (int power = 1; power <= 3; ++power) {
    bool fits = d.hint != 0;
    for (const Sample& s : d.samples) {
      long double ratio = 1;
      for (int k = 0; k < power && fits; ++k)
        ratio *= static_cast<long double>(s.size) / static_cast<long double>(d.hint);
      const long double off = ratio * static_cast<long double>(base) - s.value;
      fits = fits && off < 0.25L && off > -0.25L;
    }
    if (fits) return power;
  }
  return 0;
}

SizeExpr product(const std::vector<Dependence>& all, int64_t base) {
  SizeExpr total;
  int64_t hints = 1;
  for (const Dependence& d : all) {
    const int power = exponent(d, base);
    if (power == 0) return nullptr;
    for (int k = 0; k < power; ++k) {
      if (__builtin_mul_overflow(hints, d.hint, &hints)) return nullptr;
      const SizeExpr factor = size_symbol(d.symbol);
      total = total ? binary(SizeOp::kMul, total, factor) : factor;
    }
  }
  if (hints <= 0 || base < 0) return nullptr;
  const int64_t common = std::gcd(base, hints);
  total = binary(SizeOp::kMul, total, size_const(base / common));
  return binary(SizeOp::kFloorDiv, total, size_const(hints / common));
}

}  // namespace

SizeExpr fit_size(const std::vector<int64_t>& hints, uint64_t symbols, int64_t base,
                  const SizeFunction& f) {
  std::vector<Dependence> all;
  for (int i = 0; i < static_cast<int>(hints.size()); ++i) {
    if (!((symbols >> i) & 1)) continue;
    Dependence d{i, hints[i], take_samples(hints, i, f)};
    if (d.samples.size() < 2) return nullptr;
    bool depends = false;
    for (const Sample& s : d.samples) depends |= s.value != base;
    if (depends) all.push_back(std::move(d));
  }
  if (all.empty()) return size_const(base);
  if (all.size() > 1) {
    SizeExpr guess = product(all, base);
    if (guess && guess->symbols) {
      // At samples that change one size, a sum of two sizes can look like a product. So also
      // compare where all sizes change.
      std::vector<int64_t> sizes = hints;
      for (const Dependence& d : all) sizes[d.symbol] = 2 * d.hint;
      int64_t value = 0, guessed = 0;
      if (f(sizes, &value) && evaluate(*guess, sizes, &guessed) && value == guessed) return guess;
    }
  }
  SizeExpr guess = sum(all, base);
  if (guess || all.size() > 1) return guess;
  guess = product(all, base);
  return guess ? guess : rounded(all[0], base);
}

}  // namespace msjit
