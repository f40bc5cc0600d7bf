// SET_ITEMS: a set or frozenset whose table equals that of the set in the 1-tuple `object`
// (set_table.h).
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/host_call.h"
#include "guards/py/set_table.h"

namespace msjit {
namespace {

PyObject* expected(const GuardStep& step) { return PyTuple_GET_ITEM(step.object.address(), 0); }

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return is_plain_set(object) && same_set(object, expected(step));
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  const bool shown = PySet_GET_SIZE(expected(step)) <= 8;
  return fmt::format("{} == {}", source, shown ? host::text_of(expected(step)) : "the same items");
}

}  // namespace

const GuardKind guard::set_items = {.name = "set_items", .check = check, .describe = describe};

}  // namespace msjit
