// numpy.random.RandomState, the generator behind numpy.random.rand() and the like. Its methods are
// written in C and draw from a Mersenne Twister. The state is saved where NumPy keeps it, because
// get_state() takes longer than a draw.
#pragma once

#include <cstdint>

#include "guards/py/ref.h"

namespace msjit {

// The class; null where NumPy's generators are not loaded or not laid out as is expected here.
PyTypeObject* legacy_generator_type();

class LegacyState {
 public:
  // False, without an error: this is no such generator, it draws from another source of bits, or
  // another thread draws from it now.
  bool save(PyObject* generator);
  // Notes the state behind the draws.
  void note_drawn();
  // Brings the saved state back, unless somebody has drawn or seeded meanwhile.
  void restore();
  bool is_of(PyObject* generator) const { return generator_.is(generator); }

 private:
  static constexpr int kWords = 625;  // the last is the position
  struct State {
    uint32_t words[kWords];
    int32_t has_gauss;
    double gauss;
  };
  struct Places {
    uint32_t* words;
    int32_t* has_gauss;
    double* gauss;
  };
  State now() const;

  Ref generator_, bits_;
  Places places_ = {};
  State before_ = {};
  uint32_t left_[3] = {};
  bool drawn_ = false;
};

}  // namespace msjit
