// What the first turns of a loop that is being unrolled have made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace msjit {

struct Arrivals {
  static constexpr size_t kMost = 5;  // the first turn may be unlike the next ones
  std::vector<int> ops;               // the operators made so far, at each arrival
  int64_t counter = 0, step = 0;      // of a while loop: its counter at the last one
  size_t note(int num_ops);
  // Whether `left` more turns will have made too many operators to unroll.
  bool will_be_many(int64_t left) const;
};

}  // namespace msjit
