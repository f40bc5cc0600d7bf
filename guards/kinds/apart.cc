// APART: two objects (the second is that of `other`) do not keep their names in one dict.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/tables.h"

namespace msjit {

PyObject* names_of(PyObject* object) { return is_table(object) ? object : existing_dict(object); }

namespace {

bool check(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  PyObject* const names = names_of(object);
  return !names || names != names_of(registers[step.other]);
}

std::string describe(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} and {} share no namespace", a, b);
}

}  // namespace

const GuardKind guard::apart = {.name = "apart", .check = check, .describe = describe};

}  // namespace msjit
