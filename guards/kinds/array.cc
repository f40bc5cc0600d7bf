// ARRAY: the dtype (`object`) and shape (`tensor`) of a NumPy array. A TYPE guard precedes it. The
// array's elements are no part of the guard; they are read at each call.
#include <fmt/core.h>

#include <algorithm>

#include "guards/guard_set.h"
#include "guards/py/array_layout.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  const ArrayLayout& array = array_layout(object);
  const Shape& shape = step.tensor->shape;
  return array.dtype == step.object.address() && array.rank == shape.rank() &&
         std::equal(shape.begin(), shape.end(), array.shape);
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  std::string shape;
  for (Dim d : step.tensor->shape) shape += fmt::format("{},", d);
  return fmt::format("{0}.dtype is {1} and {0}.shape == ({2})", source,
                     dtype_name(step.tensor->dtype), shape);
}

}  // namespace

const GuardKind guard::array = {.name = "array", .check = check, .describe = describe};

}  // namespace msjit
