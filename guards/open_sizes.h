// OpenSizes: the sizes that an entry leaves open, so that it serves calls of different sizes. For
// each size it says where a call has it (a dimension of a tensor, a Python int). It also holds the
// relations between sizes that the capture relied on. Both are evaluated after the entry's guards
// have held, without Python code, references or allocation.
#pragma once

#include <vector>

#include "graph/size_expr.h"
#include "guards/source.h"

namespace msjit {

struct OpenSize {
  SourceId source;
  int dim;               // -1: the int itself
  std::string path;      // how Python finds the tensor or the int
  bool guessed = false;  // assumed equal to an earlier size because their values were equal
};

struct OpenSizes {
  std::vector<OpenSize> symbols;
  std::vector<std::string> names;  // by symbol: "x.shape[0]"
  std::vector<SizeRelation> relations;
  std::vector<int64_t> captured;  // the values at capture
  uint64_t key = 0;               // bit set of the symbols that the graph depends on
  uint64_t fixed = 0;             // bit set of the symbols that the capture made constant after all

  int count() const { return static_cast<int>(symbols.size()); }
  // Writes the sizes of this call; `sizes` has room for count() of them.
  void load(PyObject* const* registers, int64_t* sizes) const;
  // Index of a relation that does not hold, or -1. `skip_keyed`: relations among key symbols alone
  // are known to hold and are not evaluated.
  int failing(const int64_t* sizes, bool skip_keyed) const;
  std::vector<std::string> describe_all() const;
};

// The largest magnitude of an int that the guard `int` (open_int) lets through.
inline constexpr int64_t kLargestOpenInt = int64_t(1) << 31;
// The value of an exact int within these bounds.
bool small_int(PyObject* object, int64_t* value);

}  // namespace msjit
