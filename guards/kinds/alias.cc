// SAME and DIFFERENT: whether two sources are one object, for identity tests and mutation. BELOW:
// the order of two addresses; a chain of n - 1 of them tells n objects apart. APART:
// they do not keep their names in one dict. UNSHARED: an instance is alone in referring to the dict
// of its attributes.
#include <fmt/core.h>

#include <functional>

#include "guards/memo.h"
#include "guards/py/tables.h"

namespace msjit {
namespace {

bool check_same(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return object == registers[step.other];
}
bool check_different(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return object != registers[step.other];
}
bool check_below(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  return std::less<>()(object, registers[step.other]);
}
bool check_apart(const GuardStep& step, PyObject* object, PyObject* const* registers) {
  PyObject* const names = names_of(object);
  return !names || names != names_of(registers[step.other]);
}
bool check_unshared(const GuardStep&, PyObject* object, PyObject* const*) {
  return has_unshared_names(object);
}
std::string describe_same(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} is {}", a, b);
}
std::string describe_different(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} is not {}", a, b);
}
std::string describe_below(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("id({}) < id({})", a, b);
}
std::string describe_apart(const GuardStep&, const std::string& a, const std::string& b) {
  return fmt::format("{} and {} share no namespace", a, b);
}
std::string describe_unshared(const GuardStep&, const std::string& a, const std::string&) {
  return fmt::format("sys.getrefcount(vars({})) == 2", a);
}

// Both objects are the ones that were compared.
bool watch(const GuardStep&, PyObject*, MemoBuilder&) { return true; }

bool watch_unshared(const GuardStep&, PyObject* object, MemoBuilder& memo) {
  if (memo.own_values(object) && !existing_dict(object)) return true;
  PyObject* dict = nullptr;
  memo.instance_dict_of(object, &dict);
  if (dict) memo.word(&dict->ob_refcnt);
  return true;
}

}  // namespace

PyObject* names_of(PyObject* object) { return is_table(object) ? object : existing_dict(object); }

bool has_unshared_names(PyObject* object) {
  PyObject* const dict = existing_dict(object);
  return !dict || Py_REFCNT(dict) == 1;
}

const GuardKind guard_same = {"same", check_same, describe_same, watch};
const GuardKind guard_different = {"different", check_different, describe_different, watch};
const GuardKind guard_below = {"below", check_below, describe_below, watch};
const GuardKind guard_apart = {"apart", check_apart, describe_apart};
const GuardKind guard_unshared = {"unshared", check_unshared, describe_unshared, watch_unshared};

}  // namespace msjit
