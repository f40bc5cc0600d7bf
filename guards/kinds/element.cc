// ELEMENT: the element of a NumPy array at the position `number`, in the order of its shape, has
// exactly the bytes `object`. A guard on its dtype and shape precedes it.
#include <fmt/core.h>

#include <cstring>

#include "guards/guard_set.h"
#include "guards/py/array_layout.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* const expected = step.object.address();
  return std::memcmp(element_of(object, step.number), PyBytes_AS_STRING(expected),
                     static_cast<size_t>(PyBytes_GET_SIZE(expected))) == 0;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{}.flat[{}] is unchanged", source, step.number);
}

bool changes(const GuardStep& step, PyObject*, const std::string& source,
             std::vector<ChangedSize>* out) {
  out->push_back({element_path(source, step.number), kFloatDim, "another number"});
  return true;
}

}  // namespace

const GuardKind guard::element = {
    .name = "element", .check = check, .describe = describe, .changes = changes};

}  // namespace msjit
