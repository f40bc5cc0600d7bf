// Loops are compiled twice: for every processor that this library supports, and for processors with
// AVX-512. Both give equal bits.
#pragma once

namespace msjit {

#define MSJIT_WIDE_LOOP \
  [[gnu::flatten, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]

inline bool has_wide_vectors() {
  static const bool available =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return available;
}

}  // namespace msjit
