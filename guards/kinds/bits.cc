// BITS: a NumPy scalar of the captured class and with exactly its bits: -0.0 is not 0.0, and a NaN
// equals itself.
#include <fmt/core.h>

#include <cstring>

#include "guards/guard_set.h"
#include "guards/py/convert.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  PyObject* expected = step.object.address();
  if (object == expected) return true;
  if (Py_TYPE(object) != Py_TYPE(expected)) return false;
  const size_t size = static_cast<size_t>(Py_TYPE(object)->tp_basicsize) - sizeof(PyObject);
  return std::memcmp(reinterpret_cast<const char*>(object) + sizeof(PyObject),
                     reinterpret_cast<const char*>(expected) + sizeof(PyObject), size) == 0;
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("{0} == {1} and type({0}) is {2}", source,
                     host::text_of(step.object.address()), Py_TYPE(step.object.address())->tp_name);
}

bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }  // immutable

bool changes(const GuardStep&, PyObject*, const std::string& source,
             std::vector<ChangedSize>* out) {
  out->push_back({source, kFloatDim, "another number"});
  return true;
}

}  // namespace

const GuardKind guard::bits = {
    .name = "bits", .check = check, .describe = describe, .watch = watch, .changes = changes};

}  // namespace msjit
