// Element types, their C++ storage types and the type promotion rules.
// Promotion follows MindSpore. Among tensors the wider kind wins. A Python scalar ("weak") only
// lifts the kind (bool < int < float < complex), never the width. uint16, uint32 and uint64 mix
// with themselves and bool only.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace msjit {

enum class DType : uint8_t {
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kUInt16,
  kUInt32,
  kUInt64,
  kComplex64,
  kComplex128,
};
inline constexpr int kNumDTypes = 15;

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

// IEEE binary16; arithmetic is done in float.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) {
    _Float16 h = static_cast<_Float16>(value);
    std::memcpy(&bits, &h, 2);
  }
  operator float() const {
    _Float16 h;
    std::memcpy(&h, &bits, 2);
    return static_cast<float>(h);
  }
};

// Upper half of a float32, round to nearest even.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t u = std::bit_cast<uint32_t>(value);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((u >> 16) | 0x40);  // keep NaN a NaN
    } else {
      bits = static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
    }
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

int64_t item_size(DType dtype);            // bytes per element
std::string_view dtype_name(DType dtype);  // "float32", "bool", ...
bool dtype_from_name(std::string_view name, DType* out);

inline bool is_float(DType d) { return d >= DType::kFloat16 && d <= DType::kFloat64; }
inline bool is_complex(DType d) { return d >= DType::kComplex64; }
inline bool is_inexact(DType d) { return is_float(d) || is_complex(d); }
// uint16, uint32 and uint64, which MindSpore promotes with no other number.
inline bool is_wide_unsigned(DType d) { return d >= DType::kUInt16 && d <= DType::kUInt64; }
inline bool is_integer(DType d) {
  return (d >= DType::kUInt8 && d <= DType::kInt64) || is_wide_unsigned(d);
}
inline bool is_unsigned(DType d) { return d == DType::kUInt8 || is_wide_unsigned(d); }
inline bool is_bool(DType d) { return d == DType::kBool; }
// The dtype of the real and imaginary parts; a real dtype is its own.
inline DType real_dtype(DType d) {
  return d == DType::kComplex64 ? DType::kFloat32 : d == DType::kComplex128 ? DType::kFloat64 : d;
}

// The result dtype of mixing two operands; `weak` marks an operand that came from a Python scalar.
DType promote(DType a, bool weak_a, DType b, bool weak_b);
// Whether MindSpore mixes two tensors of these dtypes: uint16, uint32 and uint64 mix with
// themselves and bool only.
inline bool mixable(DType a, DType b) {
  return a == b || is_bool(a) || is_bool(b) || !(is_wide_unsigned(a) || is_wide_unsigned(b));
}
// The wider of two dtypes of Python scalars.
DType wider(DType a, DType b);

// The type computations on a dtype are done in: float for the 16-bit floats, else the storage type.
template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Half> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f(TypeTag<T>{}) with the storage type of `dtype`, which must not be complex: infer_outputs
// (op.h) refuses complex inputs of ops that do not take them.
template <class F>
decltype(auto) dispatch_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool: return f(TypeTag<bool>{});
    case DType::kUInt8: return f(TypeTag<uint8_t>{});
    case DType::kInt8: return f(TypeTag<int8_t>{});
    case DType::kInt16: return f(TypeTag<int16_t>{});
    case DType::kInt32: return f(TypeTag<int32_t>{});
    case DType::kInt64: return f(TypeTag<int64_t>{});
    case DType::kFloat16: return f(TypeTag<Half>{});
    case DType::kBFloat16: return f(TypeTag<BFloat16>{});
    case DType::kFloat32: return f(TypeTag<float>{});
    case DType::kUInt16: return f(TypeTag<uint16_t>{});
    case DType::kUInt32: return f(TypeTag<uint32_t>{});
    case DType::kUInt64: return f(TypeTag<uint64_t>{});
    default: break;
  }
  return f(TypeTag<double>{});
}

// dispatch_dtype() for every dtype, complex ones included.
template <class F>
decltype(auto) dispatch_any_dtype(DType dtype, F&& f) {
  if (dtype == DType::kComplex64) return f(TypeTag<Complex64>{});
  if (dtype == DType::kComplex128) return f(TypeTag<Complex128>{});
  return dispatch_dtype(dtype, f);
}

// Calls f(TypeTag<T>{}) with a type of the size of an element, for code that moves elements only.
struct Word16 {
  uint64_t words[2];
};
template <class F>
decltype(auto) dispatch_size(DType dtype, F&& f) {
  switch (item_size(dtype)) {
    case 1: return f(TypeTag<uint8_t>{});
    case 2: return f(TypeTag<uint16_t>{});
    case 4: return f(TypeTag<uint32_t>{});
    case 8: return f(TypeTag<uint64_t>{});
    default: break;
  }
  return f(TypeTag<Word16>{});
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<bool>() {
  return DType::kBool;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::kUInt8;
}
template <>
constexpr DType dtype_of<int8_t>() {
  return DType::kInt8;
}
template <>
constexpr DType dtype_of<int16_t>() {
  return DType::kInt16;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::kInt32;
}
template <>
constexpr DType dtype_of<int64_t>() {
  return DType::kInt64;
}
template <>
constexpr DType dtype_of<Half>() {
  return DType::kFloat16;
}
template <>
constexpr DType dtype_of<BFloat16>() {
  return DType::kBFloat16;
}
template <>
constexpr DType dtype_of<float>() {
  return DType::kFloat32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::kFloat64;
}
template <>
constexpr DType dtype_of<uint16_t>() {
  return DType::kUInt16;
}
template <>
constexpr DType dtype_of<uint32_t>() {
  return DType::kUInt32;
}
template <>
constexpr DType dtype_of<uint64_t>() {
  return DType::kUInt64;
}
template <>
constexpr DType dtype_of<Complex64>() {
  return DType::kComplex64;
}
template <>
constexpr DType dtype_of<Complex128>() {
  return DType::kComplex128;
}

}  // namespace msjit
