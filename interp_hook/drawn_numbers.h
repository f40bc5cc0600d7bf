// What a region draws from generators of Python's random and of NumPy (bytecode/capture.h, Draw).
// They are drawn before its graph runs. If the region is then given up, the generators get their
// states back, and the interpreter draws the same numbers again.
#pragma once

#include <memory>
#include <vector>

#include "bytecode/capture.h"
#include "guards/py/legacy_generator.h"
#include "guards/py/twister.h"

namespace msjit {

class DrawnNumbers {
 public:
  // Draws in program order. The registers hold the generators. False, without an error: not all
  // could be drawn.
  bool draw(const std::vector<Draw>& draws, PyObject* const* registers);
  void take_back();
  Tensor input(int draw) const;  // as an input of the graph
  Ref object(int draw) const;    // the array, or a new float or int; empty with an exception set

 private:
  struct Number {
    bool is_float;
    double real;
    int64_t integer;
    Ref array;
    Tensor elements;
  };
  struct Generator {
    Ref object;
    Twister before;
  };
  Twister& state(PyObject* generator);
  bool save_legacy(PyObject* generator);
  static bool call(const Draw& draw, PyObject* generator, Number* out);

  std::vector<Number> numbers_;
  std::vector<Generator> generators_;
  std::vector<std::unique_ptr<LegacyState>> legacy_;
  std::vector<uint32_t> left_;  // a few words of each generator's state behind the draws
};

}  // namespace msjit
