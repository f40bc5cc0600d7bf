// SAME: two sources (the second is `other`) are one object.
#include <fmt/core.h>

#include "guards/memo.h"

namespace msjit {
namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return object == registers[step.other];
}

std::string describe(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} is {}", a, b);
}

// A memo has proved that both objects are the ones that were compared.
bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }

}  // namespace

const GuardKind guard::same = {
    .name = "same", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
