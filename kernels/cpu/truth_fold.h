// The fold of all() and any() over the truth values of elements.
#pragma once

#include "kernels/core/scalar_num.h"
#include "kernels/cpu/reduce.h"

namespace msjit {

// kAll: true until an element is false; otherwise false until an element is true.
template <class T, bool kAll>
struct TruthFold {
  struct Truth {  // a lane; made from an element by static_cast
    bool v = kAll;
    Truth() = default;
    explicit Truth(T x) : v(convert_value<bool>(x)) {}
    explicit operator bool() const { return v; }
  };
  using Acc = Truth;
  using Total = Truth;
  using Out = bool;
  static Acc identity() { return {}; }
  static Acc apply(Acc a, Acc b) {
    a.v = kAll ? a.v & b.v : a.v | b.v;  // no branches, so lanes are vectors
    return a;
  }
  static Total merge(Total a, Acc b) { return apply(a, b); }
};

}  // namespace msjit
