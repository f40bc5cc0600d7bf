// Num<T>: a C++ number with the arithmetic of ScalarProgram. There are no implicit conversions,
// integers wrap, small integers stay small, and division never traps. Sym (scalar_sym.h) has the
// same operators, so one lambda serves both the native loops and the tracer, with equal results.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/core/dtype.h"

namespace msjit {

template <size_t Bytes>
struct IntOfSize;
template <>
struct IntOfSize<1> {
  using type = int8_t;
};
template <>
struct IntOfSize<2> {
  using type = int16_t;
};
template <>
struct IntOfSize<4> {
  using type = int32_t;
};
template <>
struct IntOfSize<8> {
  using type = int64_t;
};

// A float cut towards zero, as NumPy and MindSpore have it on x86. Types below 32 bits take the low
// bits of the int32, so -1.0 as uint8 is 255. What the type cannot hold, NaN included, becomes its
// smallest number; of unsigned types, values from the middle of the range on are cut less the
// middle.
template <class To, class From>
inline To truncate_to(From v) {
  if constexpr (sizeof(To) < sizeof(int32_t)) {
    return static_cast<To>(truncate_to<int32_t>(v));
  } else if constexpr (std::is_unsigned_v<To>) {
    constexpr To kMiddle = To(1) << (std::numeric_limits<To>::digits - 1);
    const bool high = v >= From(kMiddle);
    const To rest =
        static_cast<To>(truncate_to<std::make_signed_t<To>>(high ? v - From(kMiddle) : v));
    return high ? rest ^ kMiddle : rest;
  } else {
    constexpr From kEnd = -static_cast<From>(std::numeric_limits<To>::min());
    const bool inside = v >= -kEnd && v < kEnd;
    const To whole =
        static_cast<To>(inside ? v : From(0));  // a select: loops stay free of branches
    return inside ? whole : std::numeric_limits<To>::min();
  }
}

// Value conversion, defined for every value. Floats are cut to integers by truncate_to, integers
// wrap. Anything non-zero, NaN included, is true. A complex number gives its real part.
template <class To, class From>
inline To convert_value(From v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(v.real()),
              static_cast<typename To::value_type>(v.imag()));
  } else if constexpr (kIsComplex<To>) {
    return To(convert_value<typename To::value_type>(v));
  } else if constexpr (kIsComplex<From> && std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (kIsComplex<From>) {
    return convert_value<To>(v.real());  // as MindSpore, the real part
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return convert_value<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(convert_value<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return truncate_to<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

template <class T>
struct Num {
  using Type = T;
  T v;
  Num() = default;
  explicit constexpr Num(T value) : v(value) {}
};

template <class X>
inline constexpr bool kIsIntNum = false;  // a Num of integers; a Sym is none
template <class T>
inline constexpr bool kIsIntNum<Num<T>> = std::is_integral_v<T>;

// A plain number next to a Num<T> becomes a T.
template <class T, class N>
constexpr Num<T> num_of(N n) {
  if constexpr (std::is_same_v<T, bool>) {
    return Num<T>(n != 0);
  } else {
    return Num<T>(static_cast<T>(n));
  }
}

namespace scalar_detail {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
inline T add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else if constexpr (std::is_same_v<T, bool>)
    return a | b;
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
inline T sub(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else if constexpr (std::is_same_v<T, bool>)
    return a ^ b;
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <class T>
inline T mul(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else if constexpr (std::is_same_v<T, bool>)
    return a & b;
  else if constexpr (sizeof(T) < 4)
    return static_cast<T>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
}
// Truncating; 0 for a zero divisor; the one quotient that overflows wraps.
template <class T>
inline T div(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a / b;
  else if constexpr (std::is_same_v<T, bool>)
    return a & b;
  else if constexpr (std::is_unsigned_v<T>)
    return b == 0 ? T(0) : static_cast<T>(a / (b == 0 ? T(1) : b));
  else {
    bool special = b == 0 || b == T(-1);
    T quotient = static_cast<T>(a / (special ? T(1) : b));
    T negated = sub<T>(T(0), a);
    return b == 0 ? T(0) : b == T(-1) ? negated : quotient;
  }
}
template <class T>
inline T rem(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return false;
  else if constexpr (std::is_unsigned_v<T>)
    return b == 0 ? T(0) : static_cast<T>(a % (b == 0 ? T(1) : b));
  else {
    bool special = b == 0 || b == T(-1);
    T rest = static_cast<T>(a % (special ? T(1) : b));
    return special ? T(0) : rest;
  }
}

}  // namespace scalar_detail

#define MSJIT_NUM_ARITH(symbol, name)                                            \
  template <class T>                                                             \
  inline Num<T> operator symbol(Num<T> a, Num<T> b) {                            \
    return Num<T>(scalar_detail::name<T>(a.v, b.v));                             \
  }                                                                              \
  template <class T, class N>                                                    \
  requires std::is_arithmetic_v<N>                                               \
  inline Num<T> operator symbol(Num<T> a, N b) { return a symbol num_of<T>(b); } \
  template <class T, class N>                                                    \
  requires std::is_arithmetic_v<N>                                               \
  inline Num<T> operator symbol(N a, Num<T> b) { return num_of<T>(a) symbol b; }
MSJIT_NUM_ARITH(+, add)
MSJIT_NUM_ARITH(-, sub)
MSJIT_NUM_ARITH(*, mul)
MSJIT_NUM_ARITH(/, div)
#undef MSJIT_NUM_ARITH

#define MSJIT_NUM_COMPARE(symbol)                        \
  template <class T>                                     \
  inline Num<bool> operator symbol(Num<T> a, Num<T> b) { \
    return Num<bool>(a.v symbol b.v);                    \
  }                                                      \
  template <class T, class N>                            \
  requires std::is_arithmetic_v<N>                       \
  inline Num<bool> operator symbol(Num<T> a, N b) { return a symbol num_of<T>(b); }
MSJIT_NUM_COMPARE(<)
MSJIT_NUM_COMPARE(<=)
MSJIT_NUM_COMPARE(>)
MSJIT_NUM_COMPARE(>=)
MSJIT_NUM_COMPARE(==)
MSJIT_NUM_COMPARE(!=)
#undef MSJIT_NUM_COMPARE

#define MSJIT_NUM_BITS(symbol)                        \
  template <class T>                                  \
  inline Num<T> operator symbol(Num<T> a, Num<T> b) { \
    return Num<T>(static_cast<T>(a.v symbol b.v));    \
  }                                                   \
  template <class T, class N>                         \
  requires std::is_integral_v<N>                      \
  inline Num<T> operator symbol(Num<T> a, N b) { return a symbol num_of<T>(b); }
MSJIT_NUM_BITS(&)
MSJIT_NUM_BITS(|)
MSJIT_NUM_BITS(^)
#undef MSJIT_NUM_BITS

template <class T>
inline Num<T> operator-(Num<T> a) {
  if constexpr (std::is_floating_point_v<T>)
    return Num<T>(-a.v);
  else
    return Num<T>(scalar_detail::sub<T>(T(0), a.v));
}
template <class T>
inline Num<T> operator~(Num<T> a) {
  if constexpr (std::is_same_v<T, bool>)
    return Num<T>(!a.v);
  else
    return Num<T>(static_cast<T>(~a.v));
}

}  // namespace msjit
