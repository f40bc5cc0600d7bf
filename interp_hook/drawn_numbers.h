// The numbers that a region draws from generators of Python's random (bytecode/capture.h, Draw). They
// are drawn before its graph runs. If the region is then given up, the generators get their states
// back, and the interpreter draws the same numbers again.
#pragma once

#include <vector>

#include "bytecode/capture.h"
#include "guards/py/twister.h"

namespace msjit {

class DrawnNumbers {
 public:
  // Draws in program order. The registers hold the generators.
  void draw(const std::vector<Draw>& draws, PyObject* const* registers);
  void take_back();
  Tensor input(int draw) const;  // as a 0-d input of the graph
  Ref object(int draw) const;    // a new float or int; empty with an exception set

 private:
  struct Number {
    bool is_float;
    double real;
    int64_t integer;
  };
  struct Generator {
    Ref object;
    Twister before;
  };
  Twister& state(PyObject* generator);

  std::vector<Number> numbers_;
  std::vector<Generator> generators_;
  std::vector<uint32_t> left_;  // a few words of each generator's state behind the draws
};

}  // namespace msjit
