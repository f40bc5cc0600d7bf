// SAME and DIFFERENT: whether two sources are one object, for identity tests and mutation. APART: a
// dict is neither another object nor where that keeps its attributes.
#include <fmt/core.h>

#include "guards/guard_set.h"

namespace msjit {
namespace {

bool check_same(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return object == registers[step.other];
}
bool check_different(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return object != registers[step.other];
}
bool check_apart(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  PyObject* other = registers[step.other];
  return object != other && object != existing_dict(other);
}
std::string describe_same(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} is {}", a, b);
}
std::string describe_different(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} is not {}", a, b);
}
std::string describe_apart(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} is no namespace of {}", a, b);
}

// Both objects are the ones that were compared.
bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }

}  // namespace

const GuardKind guard_same = {"same", check_same, describe_same, watch};
const GuardKind guard_different = {"different", check_different, describe_different, watch};
const GuardKind guard_apart = {"apart", check_apart, describe_apart};

}  // namespace msjit
