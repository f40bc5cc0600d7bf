// UNSHARED: an instance holds the only reference to its __dict__, or has none.
#include <fmt/core.h>

#include "guards/memo.h"

namespace msjit {

bool has_unshared_names(PyObject* object) {
  PyObject* const dict = existing_dict(object);
  return !dict || Py_REFCNT(dict) == 1;
}

namespace {

bool check(const GuardStep&, PyObject* object, PyObject* const*) {
  return has_unshared_names(object);
}

std::string describe(const GuardStep&, const std::string& a, const std::string&) {
  return fmt::format("sys.getrefcount(vars({})) == 2", a);
}

bool watch(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  if (memo.own_values(object) && !existing_dict(object)) return true;
  PyObject* dict = nullptr;
  memo.instance_dict_of(object, &dict);
  if (dict) memo.word(&dict->ob_refcnt);
  return true;
}

}  // namespace

const GuardKind guard::unshared = {
    .name = "unshared", .check = check, .describe = describe, .watch = watch};

}  // namespace msjit
