// The state of a random.Random: a Mersenne Twister (MT19937) in the object itself, the same in all
// versions of CPython. Numbers are drawn from it here as CPython's methods draw them. They run no
// code, and what was drawn can be taken back.
#pragma once

#include <cstdint>

#include "guards/py/ref.h"

namespace msjit {

struct Twister {
  static constexpr int kWords = 624;
  int32_t index;  // of the next word; kWords: the words are to be renewed
  uint32_t words[kWords];

  uint32_t next();
  double unit();                   // random()
  uint64_t bits(int count);        // getrandbits(count), for 1 to 63 bits
  uint64_t below(uint64_t limit);  // what Random._randbelow(limit) gives
};

// _random.Random, the class written in C that holds the state; null where it is not loaded, or
// where its objects do not have the layout that is expected here.
PyTypeObject* twister_type();
// The state of an instance of it.
Twister& twister_of(PyObject* generator);

}  // namespace msjit
