// PLAIN_KEYS: no key of a dict, or of an object's attributes, compares by Python code. So looking
// up a name or a number runs none.
#include <fmt/core.h>

#include "guards/memo.h"
#include "guards/py/compat_layout.h"
#include "guards/py/tables.h"

namespace msjit {

// A class inherits tp_richcompare from its C base unless it defines a comparison in Python.
static bool compares_in_c(PyTypeObject* type) {
  const PyTypeObject* base = type;
  while (base->tp_flags & Py_TPFLAGS_HEAPTYPE) base = base->tp_base;
  return type->tp_richcompare == base->tp_richcompare;
}

bool has_plain_keys(PyObject* dict) {
  if (compat::has_only_string_keys(dict)) return true;
  PyObject* key = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, nullptr);)
    if (!compares_in_c(Py_TYPE(key))) return false;
  return true;
}

namespace {

bool check(const GuardStep&, PyObject* object, PyObject* const*) {
  PyObject* dict = names_of(object);
  return !dict || has_plain_keys(dict);
}

std::string describe(const GuardStep& step, const std::string& source, const std::string&) {
  return fmt::format("all(type(k).__eq__ is builtin for k in {})",
                     step.number ? fmt::format("vars({})", source) : source);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  PyObject* dict = object;
  if (!is_table(object)) {
    if (memo.own_values(object)) return true;  // the keys of a class are strings
    memo.instance_dict_of(object, &dict);
    if (!dict) return true;
  }
  return memo.string_keys(dict);
}

}  // namespace

const GuardKind guard::plain_keys = {
    .name = "plain_keys", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
