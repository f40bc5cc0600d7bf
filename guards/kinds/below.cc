// BELOW: an object has a lower address than the one of `other`. A chain of n - 1 such guards proves
// n objects different.
#include <fmt/core.h>

#include <functional>

#include "guards/memo.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return std::less<>()(object, registers[step.other]);
}

std::string describe(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("id({}) < id({})", a, b);
}

// A memo has proved that both objects are the ones that were compared.
bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }

}  // namespace

const GuardKind guard::below = {
    .name = "below", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
