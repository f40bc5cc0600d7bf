// Optimizer steps from one formula each: `f(param, state..., grad, lr)`. It is a function object
// whose call operator is a template over the values, and it writes param and the states. On Num<C>
// it is the body of the eager loop; on Vals it is the update that graphs record. So both give equal
// bits.
#pragma once

#include <utility>

#include "kernels/core/scalar_num.h"
#include "kernels/core/words.h"
#include "kernels/cpu/in_place.h"
#include "kernels/cpu/parallel.h"

namespace msjit::in_place {

// What formulas need besides arithmetic.
template <class T>
Num<T> root(Num<T> x) {
  return Num<T>(std::sqrt(x.v));
}
inline Val root(const Val& x) { return words::sqrt(x); }
// x * by, where `by` is a number of the call that may be 1.
template <class T>
Num<T> scaled(Num<T> x, double by) {
  return x * by;
}
inline Val scaled(const Val& x, double by) { return by == 1 ? x : words::mul(x, by); }

template <class T, class F, size_t... kState>
void step_loop(const Step& step, const F& formula, std::index_sequence<kState...>) {
  using C = typename ComputeType<T>::type;
  constexpr size_t kStates = sizeof...(kState);
  T* const param = step.tensors[0].data_as<T>();
  T* const states[] = {step.tensors[kState + 1].data_as<T>()..., nullptr};
  const T* const grad = step.tensors[kStates + 1].data_as<T>();
  const Num<C> rate(static_cast<C>(step.rate));
  parallel_for(step.count, kElementGrain, [=](int64_t begin, int64_t end) {
#pragma GCC ivdep
    for (int64_t i = begin; i < end; ++i) {
      Num<C> p(static_cast<C>(param[i]));
      Num<C> s[] = {Num<C>(static_cast<C>(states[kState][i]))..., Num<C>(0)};
      formula(p, s[kState]..., Num<C>(static_cast<C>(grad[i])), rate);
      param[i] = static_cast<T>(p.v);
      ((states[kState][i] = static_cast<T>(s[kState].v)), ...);
    }
  });
}

// The kernel of an optimizer step.
template <int kStates, class F>
Status run_formula(KernelCtx& ctx, const F& formula) {
  MSJIT_TRY(Step step, begin_step(ctx, kStates));
  dispatch_dtype(step.tensors[0].dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>)
      step_loop<T>(step, formula, std::make_index_sequence<kStates>());
  });
  end_step(ctx, step);
  return {};
}

// The new values of the parameter and the states, for OpDef::update.
template <int kStates, class F>
Vals formula_values(std::span<const Val> in, const F& formula) {
  Vals values = step_values(in);
  const auto call = [&]<size_t... kState>(std::index_sequence<kState...>) {
    formula(values[0], values[kState + 1]..., values[kStates + 1], values[kStates + 2]);
  };
  call(std::make_index_sequence<kStates>());
  values.resize(kStates + 1);
  return values;
}

}  // namespace msjit::in_place
