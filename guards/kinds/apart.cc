// APART: two objects (the second is that of `other`) do not store their attributes or names in one
// dict.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/tables.h"

namespace msjit {

PyObject* names_of(PyObject* object) { return is_table(object) ? object : existing_dict(object); }

namespace {

// An instance of a class derived from dict may be the __dict__ of another object, or of itself.
bool is_dict_of(PyObject* table, PyObject* object) {
  return PyDict_Check(table) && !is_table(table) && existing_dict(object) == table;
}

// Where both are one object, it only must not be its own __dict__.
bool check(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  PyObject* const other = registers[step.other];
  if (is_dict_of(object, other) || is_dict_of(other, object)) return false;
  PyObject* const names = names_of(object);
  return object == other || !names || names != names_of(other);
}

std::string describe(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} and {} share no namespace", a, b);
}

}  // namespace

const GuardKind guard::apart = {.name = "apart", .check = check, .describe = describe};

}  // namespace msjit
