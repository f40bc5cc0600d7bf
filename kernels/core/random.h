// The random generator's state: a seed and a count of tickets. Every random op draws one ticket.
// The numbers of an op depend only on (seed, ticket, element index): Philox 4x32-10, Salmon et al.
// 2011. So a captured graph that draws its tickets in program order gives the numbers of eager
// execution, on any number of threads.
#pragma once

#include <cstdint>

namespace msjit {

struct RandomState {
  int64_t seed = 0;
  int64_t ticket = 0;  // the next one
};
RandomState random_state();
void set_random_state(RandomState state);
void set_random_seed(int64_t seed);
RandomState draw_ticket();  // what the op uses; the state moves on

// Restores the random state in its destructor, unless keep() was called.
class RandomRollback {
 public:
  RandomRollback() : saved_(random_state()) {}
  ~RandomRollback() {
    if (!keep_) set_random_state(saved_);
  }
  void keep() { keep_ = true; }

 private:
  RandomState saved_;
  bool keep_ = false;
};

// Four random words for a counter and a key.
struct PhiloxBlock {
  uint32_t word[4];
};
PhiloxBlock philox(RandomState ticket, uint64_t block);

}  // namespace msjit
