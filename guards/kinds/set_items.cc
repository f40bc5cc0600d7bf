// SET_ITEMS: a set or frozenset is one with the same table as the set in the tuple `object`.
#include <fmt/core.h>

#include "guards/guard_set.h"
#include "guards/py/set_table.h"

namespace msjit {
namespace {

PyObject* expected(const GuardStep& step) { return PyTuple_GET_ITEM(step.object.address(), 0); }

bool check(const GuardStep& step, PyObject* object, PyObject* const*) {
  return is_plain_set(object) && same_set(object, expected(step));
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  Ref repr = PySet_GET_SIZE(expected(step)) > 8 ? Ref() : Ref::steal(PyObject_Repr(expected(step)));
  const char* text = repr ? PyUnicode_AsUTF8(repr.get()) : nullptr;
  if (!text) PyErr_Clear();
  return fmt::format("{} == {}", source, text ? text : "the same items");
}

}  // namespace

const GuardKind guard::set_items = {.name = "set_items", .check = check, .describe = describe};

}  // namespace msjit
