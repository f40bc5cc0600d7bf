// The loop of an optimizer step over elements, split over threads and left to the compiler to
// vectorise.
#pragma once

#include "kernels/core/words.h"
#include "kernels/cpu/in_place.h"
#include "kernels/cpu/parallel.h"

namespace msjit::in_place {

// f(C grad, C& param, C& state...) on each element, in the compute type C of the parameter.
template <class F>
void run_step(const Step& step, F&& f) {
  dispatch_dtype(step.tensors[0].dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>) {
      using C = typename ComputeType<T>::type;
      T* param = step.tensors[0].data_as<T>();
      T* a = step.num_states > 0 ? step.tensors[1].data_as<T>() : nullptr;
      T* b = step.num_states > 1 ? step.tensors[2].data_as<T>() : nullptr;
      const T* grad = step.tensors[step.num_states + 1].data_as<T>();
      parallel_for(step.count, kElementGrain, [=, &f](int64_t begin, int64_t end) {
        auto loop = [&](auto states) {
          constexpr int kStates = decltype(states)::value;
#pragma GCC ivdep
          for (int64_t i = begin; i < end; ++i) {
            C p = static_cast<C>(param[i]), s0 = 0, s1 = 0;
            if constexpr (kStates > 0) s0 = static_cast<C>(a[i]);
            if constexpr (kStates > 1) s1 = static_cast<C>(b[i]);
            f(static_cast<C>(grad[i]), p, s0, s1);
            param[i] = static_cast<T>(p);
            if constexpr (kStates > 0) a[i] = static_cast<T>(s0);
            if constexpr (kStates > 1) b[i] = static_cast<T>(s1);
          }
        };
        if (step.num_states == 0) loop(std::integral_constant<int, 0>());
        if (step.num_states == 1) loop(std::integral_constant<int, 1>());
        if (step.num_states == 2) loop(std::integral_constant<int, 2>());
      });
    }
  });
}

}  // namespace msjit::in_place
