// OpenSizes: what an entry with open sizes asks of a call: where each size is found (a dimension of
// a tensor, a Python int), and the relations between sizes that the capture relied on. Read and
// checked without Python code, references or allocation, after the guards of the entry have held.
#pragma once

#include <vector>

#include "graph/size_expr.h"
#include "guards/source.h"

namespace msjit {

struct OpenSize {
  SourceId source;
  int dim;               // -1: the int itself
  std::string path;      // how Python finds the tensor or the int
  bool guessed = false;  // taken for the same as an earlier one only because it had the same value
};

struct OpenSizes {
  std::vector<OpenSize> symbols;
  std::vector<std::string> names;  // by symbol: "x.shape[0]"
  std::vector<SizeRelation> relations;
  std::vector<int64_t> captured;  // what the sizes were
  uint64_t key = 0;               // symbols the graph depends on
  uint64_t fixed = 0;             // symbols that had to be numbers after all

  int count() const { return static_cast<int>(symbols.size()); }
  // The sizes of this call; `sizes` has room for count() of them.
  void load(PyObject* const* registers, int64_t* sizes) const;
  // Index of a relation that does not hold, or -1. `skip_keyed`: those among key symbols are known
  // to hold.
  int failing(const int64_t* sizes, bool skip_keyed) const;
  std::vector<std::string> describe_all() const;
};

// The sizes that a GUARD on an int lets through.
inline constexpr int64_t kLargestOpenInt = int64_t(1) << 31;
// The value of an exact int within these bounds.
bool small_int(PyObject* object, int64_t* value);

}  // namespace msjit
