// Eager loops of elementwise ops over complex numbers (OpBuilder::complex). The driver calls them
// like the loops of elementwise.h. Graphs call these kernels and do not fuse them. Complex
// arithmetic mostly calls the C library, so one loop serves all strides of the operands.
#pragma once

#include <complex>

#include "kernels/cpu/elementwise.h"

namespace msjit {
namespace complex_detail {

// The plain formula, as in NumPy; the library's operator* also handles infinities.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class F, class C, int Arity>
struct Loop {
  static auto apply(const LoopArgs& a, int64_t i) {
    const auto at = [&](int k) { return static_cast<const C*>(a.in[k])[i * a.stride[k]]; };
    if constexpr (Arity == 1)
      return F()(at(0));
    else if constexpr (Arity == 2)
      return F()(at(0), at(1));
    else
      return F()(static_cast<const bool*>(a.in[0])[i * a.stride[0]], at(1), at(2));
  }
  using Out = decltype(apply(std::declval<const LoopArgs&>(), 0));
  static void run(const LoopArgs& a) {
    for (int64_t i = 0; i < a.n; ++i) static_cast<Out*>(a.out)[i] = apply(a, i);
  }
};

template <class F>
constexpr int arity_of() {
  using C = Complex64;
  return std::is_invocable_v<F, C> ? 1 : std::is_invocable_v<F, C, C> ? 2 : 3;
}

template <class F, class C>
constexpr void add_loop(LoopTable& table) {
  using L = Loop<F, C, arity_of<F>()>;
  LoopEntry& entry = table.by_dtype[static_cast<int>(dtype_of<C>())];
  entry.run = L::run;
  entry.result = dtype_of<typename L::Out>();
}

template <class F>
constexpr LoopTable make_table() {
  LoopTable table;
  add_loop<F, Complex64>(table);
  add_loop<F, Complex128>(table);
  return table;
}

template <class F>
inline constexpr LoopTable kTable = make_table<F>();

}  // namespace complex_detail

template <class F>
OpBuilder&& OpBuilder::complex(F) && {
  def_.traits |= kComplex;
  def_.complex_loops = &complex_detail::kTable<F>;
  return std::move(*this);
}

}  // namespace msjit
