// The maths of elementwise ops: what `m` offers in `[](auto m, auto x) { return m.tanh(x); }`.
// NativeMath<T> computes on Num<T>; SymMath records a ScalarProgram. They differ only in the
// primitives. The functions (exp, log, erf, ...) are written once over these primitives, in
// scalar_words.h, so eager and compiled results agree bit for bit. Everything is branch-free, so
// that loops over it vectorise.
#pragma once

#include "kernels/core/attrs.h"
#include "kernels/core/scalar_num.h"
#include "kernels/core/scalar_power.h"
#include "kernels/core/scalar_sym.h"

namespace msjit {

// T: the compute type of the op. Attributes are read through the Attrs of the call.
template <class T>
class NativeMath : public PowerWords<NativeMath<T>> {
 public:
  // Attributes are converted once per loop, here.
  explicit NativeMath(const Attrs* attrs = nullptr) {
    if (!attrs) return;
    for (uint32_t i = 0; i < attrs->size() && i < kMaxAttrs; ++i) {
      const AttrValue& a = (*attrs)[i];
      present_[i] = !a.is_none();
      attr_[i] = a.kind() == AttrValue::Kind::kFloat ? convert_value<T>(a.as_float())
                                                     : convert_value<T>(a.as_int());
    }
  }

  // Attributes of the call, as numbers of the compute type.
  bool has_attr(int i) const { return present_[i]; }
  Num<T> attr(int i) const { return Num<T>(attr_[i]); }

  template <class X>
  static constexpr bool is_float(Num<X>) {
    return std::is_floating_point_v<X>;
  }
  template <class X>
  static constexpr bool is_bool(Num<X>) {
    return std::is_same_v<X, bool>;
  }
  template <class X>
  static constexpr bool is_signed(Num<X>) {
    return std::is_signed_v<X>;
  }

  // Primitives.
  template <class X>
  [[gnu::always_inline]] static Num<X> constant(Num<X>, double v) {
    return Num<X>(convert_value<X>(v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> constant_int(Num<X>, int64_t v) {
    return Num<X>(convert_value<X>(v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> fma(Num<X> a, Num<X> b, Num<X> c) {
    return Num<X>(std::fma(a.v, b.v, c.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> select(Num<bool> c, Num<X> a, Num<X> b) {
    return Num<X>(c.v ? a.v : b.v);
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> min(Num<X> a, Num<X> b) {
    return Num<X>(a.v < b.v ? a.v : b.v);
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> max(Num<X> a, Num<X> b) {
    return Num<X>(a.v > b.v ? a.v : b.v);
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> abs(Num<X> a) {
    if constexpr (std::is_floating_point_v<X>)
      return Num<X>(std::fabs(a.v));
    else if constexpr (std::is_unsigned_v<X>)
      return a;
    else
      return Num<X>(a.v < 0 ? scalar_detail::sub<X>(0, a.v) : a.v);
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> rem(Num<X> a, Num<X> b) {
    return Num<X>(scalar_detail::rem<X>(a.v, b.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> sqrt(Num<X> a) {
    return Num<X>(std::sqrt(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> floor(Num<X> a) {
    return Num<X>(std::floor(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> ceil(Num<X> a) {
    return Num<X>(std::ceil(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> trunc(Num<X> a) {
    return Num<X>(std::trunc(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> rint(Num<X> a) {
    return Num<X>(std::rint(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> shl(Num<X> a, int n) {
    return Num<X>(static_cast<X>(static_cast<std::make_unsigned_t<X>>(a.v) << n));
  }
  template <class X>
  [[gnu::always_inline]] static Num<X> shr(Num<X> a, int n) {
    return Num<X>(static_cast<X>(a.v >> n));
  }
  // The bits of a float as a signed integer of its width, and back.
  template <class X>
  [[gnu::always_inline]] static auto bits(Num<X> a) {
    using I = typename IntOfSize<sizeof(X)>::type;
    return Num<I>(std::bit_cast<I>(a.v));
  }
  [[gnu::always_inline]] static Num<float> from_bits(Num<int32_t> a) {
    return Num<float>(std::bit_cast<float>(a.v));
  }
  [[gnu::always_inline]] static Num<double> from_bits(Num<int64_t> a) {
    return Num<double>(std::bit_cast<double>(a.v));
  }
  // Value conversions.
  template <class X>
  [[gnu::always_inline]] static Num<float> to_float(Num<X> a) {
    return Num<float>(convert_value<float>(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<double> to_double(Num<X> a) {
    return Num<double>(convert_value<double>(a.v));
  }
  template <class X>
  [[gnu::always_inline]] static Num<bool> to_bool(Num<X> a) {
    return Num<bool>(convert_value<bool>(a.v));
  }
  template <class X, class Y>
  [[gnu::always_inline]] static Num<Y> cast_like(Num<X> a, Num<Y>) {
    return Num<Y>(convert_value<Y>(a.v));
  }

  // Runs the float or the double version of a function.
  template <class X, class F, class D>
  [[gnu::always_inline]] static Num<X> by_width(Num<X> x, F as_float, D as_double) {
    if constexpr (std::is_same_v<X, double>)
      return as_double(x);
    else
      return as_float(x);
  }
  // x to an integer power, wrapping; negative exponents give what integer division of one would.
  template <class X>
  [[gnu::always_inline]] static Num<X> int_power(Num<X> base, Num<X> exponent) {
    using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<X, bool>, int8_t, X>>;
    U result = 1;
    U square = static_cast<U>(base.v);
    for (U e = static_cast<U>(exponent.v); e != 0; e >>= 1) {
      if (e & 1) result = scalar_detail::mul<U>(result, square);
      square = scalar_detail::mul<U>(square, square);
    }
    return Num<X>(static_cast<X>(result));
  }

 private:
  static constexpr uint32_t kMaxAttrs = 2;
  T attr_[kMaxAttrs] = {};
  bool present_[kMaxAttrs] = {};
};

class SymMath : public PowerWords<SymMath> {
 public:
  SymMath(ScalarBuilder* builder, DType dtype, const Attrs* attrs)
      : builder_(builder), dtype_(dtype), attrs_(attrs) {}

  bool has_attr(int i) const { return !(*attrs_)[i].is_none(); }
  Sym attr(int i) const;

  static bool is_float(Sym x) { return msjit::is_float(x.dtype()); }
  static bool is_bool(Sym x) { return x.dtype() == DType::kBool; }
  static bool is_signed(Sym x) { return !is_bool(x) && !is_unsigned(x.dtype()); }

  static Sym constant(Sym like, double v) { return like.builder()->constant(v, like.dtype()); }
  static Sym constant_int(Sym like, int64_t v) {
    return like.builder()->constant_int(v, like.dtype());
  }
  static Sym fma(Sym a, Sym b, Sym c) { return emit(ScalarOp::kFma, a, b, c); }
  static Sym select(Sym c, Sym a, Sym b) {
    return a.builder()->emit(ScalarOp::kSelect, a.dtype(), c, a, b);
  }
  static Sym min(Sym a, Sym b) { return emit(ScalarOp::kMin, a, b); }
  static Sym max(Sym a, Sym b) { return emit(ScalarOp::kMax, a, b); }
  static Sym abs(Sym a) { return is_signed(a) ? emit(ScalarOp::kAbs, a) : a; }
  static Sym rem(Sym a, Sym b) { return is_bool(a) ? a ^ a : emit(ScalarOp::kRem, a, b); }
  static Sym sqrt(Sym a) { return emit(ScalarOp::kSqrt, a); }
  static Sym floor(Sym a) { return emit(ScalarOp::kFloor, a); }
  static Sym ceil(Sym a) { return emit(ScalarOp::kCeil, a); }
  static Sym trunc(Sym a) { return emit(ScalarOp::kTrunc, a); }
  static Sym rint(Sym a) { return emit(ScalarOp::kRint, a); }
  static Sym shl(Sym a, int n) { return emit(ScalarOp::kShl, a, constant_int(a, n)); }
  static Sym shr(Sym a, int n) { return emit(ScalarOp::kShr, a, constant_int(a, n)); }
  static Sym bits(Sym a) {
    return convert(ScalarOp::kBitcast, a,
                   a.dtype() == DType::kFloat64 ? DType::kInt64 : DType::kInt32);
  }
  static Sym from_bits(Sym a) {
    return convert(ScalarOp::kBitcast, a,
                   a.dtype() == DType::kInt64 ? DType::kFloat64 : DType::kFloat32);
  }
  static Sym to_float(Sym a) { return cast(a, DType::kFloat32); }
  static Sym to_double(Sym a) { return cast(a, DType::kFloat64); }
  static Sym to_bool(Sym a) { return cast(a, DType::kBool); }
  static Sym cast_like(Sym a, Sym like) { return cast(a, like.dtype()); }
  static Sym cast(Sym a, DType dtype) {
    return a.dtype() == dtype ? a : convert(ScalarOp::kCast, a, dtype);
  }
  template <class F, class D>
  static Sym by_width(Sym x, F as_float, D as_double) {
    return x.dtype() == DType::kFloat64 ? as_double(x) : as_float(x);
  }
  static Sym int_power(Sym base, Sym exponent);

 private:
  static Sym emit(ScalarOp op, Sym a, Sym b = {}, Sym c = {}) {
    return a.builder()->emit(op, a.dtype(), a, b, c);
  }
  static Sym convert(ScalarOp op, Sym a, DType dtype) { return a.builder()->emit(op, dtype, a); }

  ScalarBuilder* builder_;
  DType dtype_;
  const Attrs* attrs_;
};

}  // namespace msjit
